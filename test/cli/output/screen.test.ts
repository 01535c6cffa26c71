import { describe, expect, it } from 'vitest';
import { COLOUR_FLAG, paintFor, paragraph, PLAIN, screenOf, type Screen } from '../../../src/cli/output/screen.ts';
import type { CommandIo } from '../../../src/cli/io.ts';

const io = (stdoutColumns: number | undefined, env: Readonly<Record<string, string>> = {}): CommandIo =>
  ({ env, stdoutColumns, stderrColumns: undefined }) as unknown as CommandIo;

const RED = '\u001b[1;31mtext\u001b[0m';

describe('colours', () => {
  it.each([
    ['auto', 80, {}, true],
    ['auto', 1, { NO_COLOR: '', TERM: 'xterm' }, true],
    ['auto', 80, { NO_COLOR: '1' }, false],
    ['auto', 80, { NO_COLOR: '0' }, false],
    ['auto', 80, { TERM: 'dumb' }, false],
    ['auto', undefined, {}, false],
    ['always', undefined, { NO_COLOR: '1', TERM: 'dumb' }, true],
    ['never', 80, {}, false],
  ] as const)('%s with %s columns and %j', (choice, columns, env, hasColours) => {
    expect(paintFor(choice, io(columns, env))('error', 'text')).toBe(hasColours ? RED : 'text');
  });

  it.each([
    ['error', '1;31'],
    ['warning', '1;33'],
    ['note', '1;36'],
    ['heading', '1'],
    ['faint', '2'],
    ['added', '32'],
    ['removed', '31'],
  ] as const)('of %s are the basic ones, and an empty text gets none', (style, code) => {
    const paint = paintFor('always', io(80));
    expect([paint(style, 'x'), paint(style, '')]).toEqual([`\u001b[${code}mx\u001b[0m`, '']);
    expect(PLAIN(style, 'x')).toBe('x');
  });

  it('are a flag with the default auto', () => {
    expect([COLOUR_FLAG.read([]), COLOUR_FLAG.read(['never']), COLOUR_FLAG.default]).toEqual(['auto', 'never', 'auto']);
    expect(() => COLOUR_FLAG.read(['yes'])).toThrow('must be auto, always, never, not "yes"');
  });
});

describe('the screen of standard output', () => {
  it('has its columns and its colours', () => {
    const screen = screenOf('auto', io(40));
    expect([screen.columns, screen.paint('error', 'text')]).toEqual([40, RED]);
    expect(screenOf('always', io(undefined))).toMatchObject({ columns: undefined });
    expect(screenOf('never', io(40)).paint('error', 'text')).toBe('text');
  });
});

describe('a paragraph', () => {
  const plain = (columns: number | undefined): Screen => ({ columns, paint: PLAIN });
  const painted = (columns: number | undefined): Screen => ({
    columns,
    paint: (style, text) => `<${style}>${text}</>`,
  });

  it('is one line without a terminal, however long', () => {
    const text = 'word '.repeat(100).trim();
    expect(paragraph(plain(undefined), { text })).toEqual([text]);
    expect(paragraph(plain(undefined), { text, indent: 3 })).toEqual([`   ${text}`]);
  });

  it('fits the columns, with the indent on each line', () => {
    const text = 'one two three four five';
    expect(paragraph(plain(13), { text })).toEqual(['one two three', 'four five']);
    expect(paragraph(plain(12), { text })).toEqual(['one two', 'three four', 'five']);
    expect(paragraph(plain(15), { text, indent: 2 })).toEqual(['  one two three', '  four five']);
  });

  it('gets 12 columns at least beside its indent and its label', () => {
    const text = 'one two three four five';
    expect(paragraph(plain(1), { text })).toEqual(['one two', 'three four', 'five']);
    expect(paragraph(plain(1), { text, indent: 1 })).toEqual([' one two', ' three four', ' five']);
    expect(paragraph(plain(13), { text, indent: 1 })).toEqual([' one two', ' three four', ' five']);
    expect(paragraph(plain(14), { text, indent: 1 })).toEqual([' one two three', ' four five']);
  });

  it('has its label on the first line, and further lines begin below the text', () => {
    const label = { text: 'fix: ', style: 'note' } as const;
    const text = 'one two three four five';
    expect(paragraph(painted(20), { text, indent: 2, label })).toEqual([
      '  <note>fix: </>one two three',
      '       four five',
    ]);
    expect(paragraph(painted(undefined), { text: 'one', label })).toEqual(['<note>fix: </>one']);
  });

  it('has its style around each line, inside of the indent', () => {
    expect(paragraph(painted(13), { text: 'one two three four', style: 'faint', indent: 1 })).toEqual([
      ' <faint>one two</>',
      ' <faint>three four</>',
    ]);
    const label = { text: 'a: ', style: 'note' } as const;
    expect(paragraph(painted(undefined), { text: 'one', style: 'error', label })).toEqual([
      '<note>a: </><error>one</>',
    ]);
  });

  it('shows hidden characters, and no line is a command of a CI', () => {
    expect(paragraph(plain(undefined), { text: 'a\nb\u001b[1m' })).toEqual([String.raw`a\nb\u001b[1m`]);
    expect(paragraph(plain(undefined), { text: '::error::x' })).toEqual([String.raw`\u003a:error::x`]);
    expect(paragraph(painted(undefined), { text: '::error::x', style: 'error' })).toEqual([
      String.raw`<error>\u003a:error::x</>`,
    ]);
  });

  it('may be split in another way, by the columns that are left', () => {
    const widths: number[] = [];
    const split = (text: string, width: number): string[] => {
      widths.push(width);
      return text.split('/');
    };
    expect(paragraph(plain(40), { text: 'a/b', indent: 4, split })).toEqual(['    a', '    b']);
    expect(paragraph(plain(undefined), { text: 'a/b', split })).toEqual(['a/b']);
    expect(widths).toEqual([36]);
  });
});
