import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { constantOf } from '../../scripts/reference/limit-tables.ts';
import { LIMITS } from '../../scripts/reference/limits.ts';

const page = readFileSync('docs/limits.md', 'utf8');

describe('docs/limits.md', () => {
  it('has the numbers of its sentences from the code', () => {
    const file = 'cluster/sources/left-out-objects.ts';
    const [ofNamespace, all] = ['MOST_RECORDED_OF_NAMESPACE', 'MOST_RECORDED'].map((name) =>
      constantOf(file, name).toLocaleString('en'),
    );
    expect(page).toContain(`at most ${ofNamespace} of one namespace and ${all} of all`);
    expect(page).toContain(
      `at most once in ${constantOf('cluster/sources/informer.ts', 'LIST_AGAIN_MILLISECONDS') / 1000} s`,
    );
  });

  it('says of each limit what happens beyond it', () => {
    const rows = Object.values(LIMITS).flat();
    expect(rows.filter(({ limit, beyond }) => limit === '' || beyond === '')).toEqual([]);
  });

  it('has a table of limits under each heading that has one', () => {
    for (const heading of Object.keys(LIMITS)) expect(page).toContain(`\n## ${heading}\n`);
  });
});
