import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprints, pathInRepository } from '../../../src/cli/check/code-host.ts';

describe('a fingerprint', () => {
  it('counts the findings of one identity, and has 32 hexadecimal digits', () => {
    const of = fingerprints();
    const prints = [of('a'), of('a'), of('b'), of('\ud800')];
    expect(prints.map((print) => /^[0-9a-f]{32}:(\d+)$/.exec(print)?.[1])).toEqual(['1', '2', '1', '1']);
    expect(prints[0]?.slice(0, 32)).toBe(prints[1]?.slice(0, 32));
    expect(prints[0]?.slice(0, 32)).not.toBe(prints[2]?.slice(0, 32));
    expect(fingerprints()('a')).toBe(prints[0]);
  });
});

describe('the path of a file in a repository', () => {
  it.each([
    ['apps/web.yaml', 'apps/web.yaml'],
    ['./apps/web.yaml', 'apps/web.yaml'],
    ['././/web.yaml', 'web.yaml'],
    ['../web.yaml', '../web.yaml'],
    [join(process.cwd(), 'apps/web.yaml'), 'apps/web.yaml'],
    [process.cwd(), process.cwd()],
    ['/elsewhere/web.yaml', '/elsewhere/web.yaml'],
    ['///elsewhere/web.yaml', '/elsewhere/web.yaml'],
  ])('of %s is %s', (file, path) => {
    expect(pathInRepository(file)).toBe(path);
  });
});
