import { describe, expect, it } from 'vitest';
import { markdownDocument } from '../../../src/cli/output/markdown.ts';

const document = (lines: readonly string[]): string[] =>
  markdownDocument('head', [{ title: 'title', lines }], 'check', 'probewright check').split('\n');

it('a line of a section is whole: its remedy is at the end', () => {
  const line = `${'long '.repeat(300)}; write port: http (named-port)`;
  expect(document([line])).toContain(line);
});

it('a section without room for all lines ends with the number of the others', () => {
  const line = 'x'.repeat(999);
  const lines = document(Array<string>(30).fill(line));
  expect(lines.filter((one) => one === line)).toHaveLength(12);
  expect(lines).toContain('... and 18 more lines');
  expect(document(Array<string>(201).fill('short'))).toContain('... and 1 more line');
});

describe('a document', () => {
  const section = (length: number) => ({ title: 't', lines: ['x'.repeat(length)] });
  /** The characters of a section beside its line. */
  const FRAME = '\n### t\n\n```text\n\n```\n'.length;
  const lengthOf = (characters: number) => characters - FRAME;
  const head = 'h'.repeat(56_000);

  it('has room for 59,800 characters, and then says what is left out', () => {
    const fits = markdownDocument(head, [section(lengthOf(3800))], 'check', 'probewright check');
    expect(fits).toHaveLength(59_800);
    expect(markdownDocument(head, [section(lengthOf(3801))], 'check', 'probewright check')).toBe(
      `${head}\nThere is no room here for 1 more check. Run \`probewright check\` to see all checks.\n`,
    );
  });

  it('counts all sections that are left out, also those that would fit', () => {
    const sections = [section(100), section(3900), section(1), section(1)];
    const text = markdownDocument(head, sections, 'effect', 'probewright plan');
    expect(text).toContain(`\n${'x'.repeat(100)}\n`);
    expect(text.match(/^### /gm)).toHaveLength(1);
    expect(
      text.endsWith('There is no room here for 3 more effects. Run `probewright plan` to see all effects.\n'),
    ).toBe(true);
  });

  it('has its head only without sections', () => {
    expect(markdownDocument('head\n', [], 'check', 'probewright check')).toBe('head\n');
  });

  it('has a language for a diff', () => {
    const text = markdownDocument('', [{ title: 't', language: 'diff', lines: ['+ a'] }], 'check', 'probewright check');
    expect(text).toBe('\n### t\n\n```diff\n+ a\n```\n');
  });
});

describe('a block of code', () => {
  it.each([
    ['', '```'],
    ['a `b` c', '```'],
    ['``', '```'],
    ['```', '````'],
    ['a ```` b `````', '``````'],
  ])('has a fence that its text does not have: %j', (line, fence) => {
    expect(document([line])).toEqual(['head', '### title', '', `${fence}text`, line, fence, '']);
  });

  it('has 200 lines at most', () => {
    const lines = (count: number): string[] => document(Array<string>(count).fill('short'));
    expect(lines(200).filter((line) => line === 'short')).toHaveLength(200);
    expect(lines(200).some((line) => line.startsWith('... and'))).toBe(false);
    expect(lines(202).filter((line) => line === 'short')).toHaveLength(200);
    expect(lines(202)).toContain('... and 2 more lines');
  });

  it('has lines of 4,000 characters at most', () => {
    expect(document(['x'.repeat(4000)])).toContain('x'.repeat(4000));
    expect(document(['x'.repeat(4001)])).toContain(`${'x'.repeat(3997)}...`);
  });

  it('has 12,000 characters at most, with the line breaks', () => {
    const lines = (last: number): string[] => document([...Array<string>(3).fill('x'.repeat(3999)), 'y'.repeat(last)]);
    expect(lines(0)).toContain('... and 1 more line');
    const fits = document([...Array<string>(2).fill('x'.repeat(3999)), 'y'.repeat(3999)]);
    expect(fits).toContain('y'.repeat(3999));
    expect(document([...Array<string>(2).fill('x'.repeat(3999)), 'y'.repeat(4000)])).not.toContain('y'.repeat(4000));
  });

  it('has no hidden characters', () => {
    expect(document(['a\u001b[1m', '::error::x'])).toEqual(
      expect.arrayContaining([String.raw`a\u001b[1m`, String.raw`\u003a:error::x`]),
    );
  });
});
