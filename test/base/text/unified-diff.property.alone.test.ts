import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from '../../../src/base/text/unified-diff.ts';
import { runs } from '../../support/runs.ts';

const diff = (before: string, after: string): string =>
  unifiedDiff('a.yaml', before, after)
    .map(({ text }) => `${text}\n`)
    .join('');

const numbered = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => String(index + from));

/** A stream of documents, and the same with two lines in each of them. */
function stream(documents: number): [string, string] {
  const lines = numbered(18).map((line) => `line ${line}\n`);
  const [before, after] = [lines, lines.toSpliced(12, 0, 'new 1\n', 'new 2\n')].map((each) =>
    `${each.join('')}---\n`.repeat(documents),
  );
  return [before ?? '', after ?? ''];
}

function timeOf(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

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

  it('tells what each line is, whatever the text of the line begins with', () =>
    expect(unifiedDiff('a', 'same\n-x\n', 'same\n+y\n').map(({ kind, text }) => `${kind} ${text}`))
      .toMatchInlineSnapshot(`
      [
        "file --- a/a",
        "file +++ b/a",
        "place @@ -1,2 +1,2 @@",
        "same  same",
        "removed --x",
        "added ++y",
      ]
    `));

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

  it('of long streams shows the changes of each document', () => {
    expect(diff(...stream(500)).split('\n')).toHaveLength(2 + 500 * 9 + 1);
    expect(diff(...stream(500))).toContain(
      '\n@@ -48,6 +52,8 @@\n line 10\n line 11\n line 12\n+new 1\n+new 2\n line 13\n',
    );
  });

  it('of long texts with too many changes has one hunk with both texts', () => {
    const [before, after] = [numbered(3000).join('\n'), numbered(2000, 500_000).join('\n')];
    const [, , place, first, ...rest] = diff(before, `${after}\n`).split('\n');
    expect([place, first, rest.at(2998), rest.at(2999), rest.at(-2)]).toEqual([
      '@@ -1,3000 +1,2000 @@',
      '-1',
      '-3000',
      '\\ No newline at end of file',
      '+501999',
    ]);
  });

  // With the package alone, ten times the changes take a hundred times the time.
  it('takes a time that hardly grows with the number of changes', () => {
    const texts = ([50, 1500] as const).map((changes) => {
      const lines = numbered(20_000).map((line) => `a line of about fifty characters with its number ${line}\n`);
      const every = Math.floor(lines.length / changes);
      const after = lines.flatMap((line, index) => (index % every === 0 ? ['new 1\n', 'new 2\n', line] : [line]));
      return [lines.join(''), after.join('')] as const;
    });
    const [few = 0, many = 0] = texts.map((pair) => Math.min(...[1, 2, 3].map(() => timeOf(() => diff(...pair)))));
    expect(many / few).toBeLessThan(30);
  });

  // `patch` and `git` are the readers that the format is for.
  it.runIf(spawnSync('git', ['--version']).status === 0)('is what git applies', () => {
    const directory = mkdtempSync(join(tmpdir(), 'probewright-diff-'));
    const line = fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n', 'd\n');
    const text = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.constantFrom('', 'end'))
      .map(([lines, end]) => lines.join('') + end);
    const file = join(directory, 'a.yaml');
    const isApplied = (before: string, after: string): void => {
      writeFileSync(file, before);
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
        cwd: directory,
        input: diff(before, after),
        stdio: 'pipe',
      });
      expect(readFileSync(file, 'utf8')).toBe(after);
    };
    isApplied(...stream(500));
    isApplied(numbered(1000).join('\n'), numbered(1000, 5000).join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        isApplied(before, after);
      }),
      { numRuns: runs(40) },
    );
    rmSync(directory, { recursive: true });
  });
});
