import { describe, expect, it } from 'vitest';
import { diffText, paintedLine } from '../../../src/cli/output/diff.ts';
import { PLAIN, type ApplyStyle } from '../../../src/cli/output/screen.ts';
import { unifiedDiff } from '../../../src/base/text/unified-diff.ts';

const STYLED: ApplyStyle = (style, text) => `<${style}>${text}</>`;
const change = (before: string, after: string, file = 'web.yaml') => ({ file, before, after });

describe('a diff of files', () => {
  it('has the changes of all files, and nothing of a file that stays', () => {
    expect(diffText([change('a\n', 'b\n'), change('x', 'x'), change('', 'new\n', 'b.yaml')], PLAIN, false)).toBe(
      '--- a/web.yaml\n+++ b/web.yaml\n@@ -1 +1 @@\n-a\n+b\n--- a/b.yaml\n+++ b/b.yaml\n@@ -0,0 +1 @@\n+new\n',
    );
    expect(diffText([], PLAIN, true)).toBe('');
  });

  it('has a style for each kind of line, and none for what stays', () => {
    expect(diffText([change('same\na\n', 'same\nb')], STYLED, false).split('\n')).toEqual([
      '<heading>--- a/web.yaml</>',
      '<heading>+++ b/web.yaml</>',
      '<note>@@ -1,2 +1,2 @@</>',
      ' same',
      '<removed>-a</>',
      '<added>+b</>',
      '\\ No newline at end of file',
      '',
    ]);
  });

  it('escapes hidden characters for a person, without the line ends of Windows', () => {
    expect(diffText([change('', 'a\u001b[1m\r\n')], PLAIN, true)).toContain('\n+a\\u001b[1m\n');
    expect(diffText([change('', 'a\rb\r\r\n')], PLAIN, true)).toContain(String.raw`+a\rb\r` + '\n');
  });

  it('keeps the lines as they are for a program, and escapes the name of the file', () => {
    const text = diffText([change('', 'a\u001b[1m\r\n', 'a\nb.yaml')], PLAIN, false);
    expect(text).toContain('\n+a\u001b[1m\r\n');
    expect(text.startsWith('--- a/a\\nb.yaml\n+++ b/a\\nb.yaml\n')).toBe(true);
  });
});

describe('a line of a diff for people', () => {
  it('has its style, and hidden characters are escaped', () => {
    const lines = unifiedDiff('Pod', 'a\nsame\n', 'b\u0007\nsame\n');
    expect(lines.map((line) => paintedLine(line, STYLED))).toEqual([
      '<heading>--- a/Pod</>',
      '<heading>+++ b/Pod</>',
      '<note>@@ -1,2 +1,2 @@</>',
      '<removed>-a</>',
      String.raw`<added>+b\u0007</>`,
      ' same',
    ]);
  });

  it('is no command of a CI', () => {
    expect(paintedLine({ kind: 'same', text: ' ::error::x' }, PLAIN)).toBe(String.raw` \u003a:error::x`);
  });
});
