import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isExcludedBelow, isExcludedName } from '../../../src/cli/input/input-files.ts';

describe('a glob of --exclude', () => {
  it.each<[glob: string, path: string, isExcluded: boolean]>([
    ['*.gen.yaml', 'apps/deep/web.gen.yaml', true],
    ['*.gen.yaml', 'apps/web.yaml', false],
    ['vendor', 'apps/vendor', true],
    ['vendor/', 'apps/vendor', true],
    ['vendor', 'apps/vendors', false],
    ['vendor/**', 'apps/vendor', true],
    ['vendor/**', 'apps/vendor/a/b.yaml', true],
    ['./vendor/*.yaml', 'apps/vendor/a.yaml', true],
    ['vendor/*.yaml', 'apps/vendor/a/b.yaml', false],
    ['apps/vendor/**', 'apps/vendor/a/b.yaml', true],
    ['other/vendor/**', 'apps/vendor/a/b.yaml', false],
    ['**/test/**', 'apps/a/test/b.yaml', true],
    ['**/{test,ci}/*.yaml', 'apps/a/ci/b.yaml', true],
    [`${resolve('apps')}/old/**`, 'apps/old/b.yaml', true],
    [`${resolve('apps')}/old/**`, 'apps/new/b.yaml', false],
    ['[', 'apps/b.yaml', false],
  ])('%s below apps: %s is excluded: %s', (glob, path, isExcluded) => {
    expect(isExcludedBelow([glob], 'apps', path)).toBe(isExcluded);
    expect(isExcludedBelow(['nothing', glob], resolve('apps'), resolve(path))).toBe(isExcluded);
  });

  it.each<[glob: string, path: string, isExcluded: boolean]>([
    ['*.gen.yaml', 'apps/web.gen.yaml', true],
    ['vendor', 'vendor/charts/web.yaml', true],
    ['vendor/**', './vendor/charts/web.yaml', true],
    ['charts/**', 'vendor/charts/web.yaml', false],
    ['old', '../old/web.yaml', false],
    ['*', '.', false],
  ])('%s: the named path %s is excluded: %s', (glob, path, isExcluded) =>
    expect(isExcludedName([glob], path)).toBe(isExcluded),
  );

  it('is not needed for node_modules below a directory, which can still be named', () => {
    expect(isExcludedBelow([], 'apps', 'apps/node_modules')).toBe(true);
    expect(isExcludedName([], 'apps/node_modules')).toBe(false);
  });
});
