import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff, unifiedDiff } from '../../../src/base/text/unified-diff.ts';

const diff = (before: string, after: string): string =>
  unifiedDiff('a.yaml', before, after)
    .map(({ text }) => `${text}\n`)
    .join('');

const numbered = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => String(index + from));

describe('a unified diff', () => {
  it('of equal texts has no lines', () => {
    expect(diff('a\n', 'a\n')).toBe('');
    expect(diff('', '')).toBe('');
  });

  it('has three lines around each change, and joins changes that are near', () => {
    const before = numbered(40);
    const after = before.toSpliced(4, 1, 'five').toSpliced(9, 0, 'nine and a half').toSpliced(30, 1);
    expect(diff(`${before.join('\n')}\n`, `${after.join('\n')}\n`)).toBe(
      '--- a/a.yaml\n+++ b/a.yaml\n@@ -2,11 +2,12 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+nine and a half\n 10\n 11\n 12\n' +
        '@@ -27,7 +28,6 @@\n 27\n 28\n 29\n-30\n 31\n 32\n 33\n',
    );
  });

  it('shows a missing line break at the end', () => {
    expect(diff('a\nb', 'a\nb\nc')).toBe(
      '--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,3 @@\n a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n',
    );
    expect(diff('', 'a\n')).toBe('--- a/a.yaml\n+++ b/a.yaml\n@@ -0,0 +1 @@\n+a\n');
  });

  it('names a relative path as git does, and other names as they are', () => {
    const names = ['./shop/a.yaml', '/srv/a.yaml', '<stdin>'].map((name) => unifiedDiff(name, '', 'a')[0]?.text);
    expect(names).toEqual(['--- a/shop/a.yaml', '--- /srv/a.yaml', '--- <stdin>']);
  });

  it('takes a time that follows from the changes, not from the texts', () => {
    const before = numbered(300_000);
    const after = before.flatMap((line, index) => (index % 100 === 50 ? ['new 1', 'new 2', line] : [line]));
    const added = lineDiff(before, after).filter(({ kind }) => kind === 'added');
    expect(added).toEqual(Array.from({ length: 3000 }, () => ({ kind: 'added', count: 2 })));
    const other = numbered(10_000, 500_000);
    expect(lineDiff(before.slice(0, 10_000), other)).toEqual([
      { kind: 'removed', count: 10_000 },
      { kind: 'added', count: 10_000 },
    ]);
  });

  it('of any texts leads from one to the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd\r', ''), { maxLength: 60 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const result: string[] = [];
        let [x, y] = [0, 0];
        for (const { kind, count } of lineDiff(before, after)) {
          if (kind === 'same') {
            expect(before.slice(x, x + count)).toEqual(after.slice(y, y + count));
            for (const line of before.slice(x, x + count)) result.push(line);
          }
          if (kind === 'added') for (const line of after.slice(y, y + count)) result.push(line);
          if (kind !== 'added') x += count;
          if (kind !== 'removed') y += count;
        }
        expect({ result, x }).toEqual({ result: after, x: before.length });
      }),
      { numRuns: 3000 },
    );
  });

  // `patch` and `git` are the readers that the format is for.
  it.runIf(spawnSync('git', ['--version']).status === 0)('is what git applies', () => {
    const directory = mkdtempSync(join(tmpdir(), 'probewright-diff-'));
    const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd\n');
    const text = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.constantFrom('', 'end'))
      .map(([lines, end]) => lines.join('') + end);
    const file = join(directory, 'a.yaml');
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        writeFileSync(file, before);
        execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
          cwd: directory,
          input: diff(before, after),
          stdio: 'pipe',
        });
        expect(readFileSync(file, 'utf8')).toBe(after);
      }),
      { numRuns: 40 },
    );
    rmSync(directory, { recursive: true });
  });
});
