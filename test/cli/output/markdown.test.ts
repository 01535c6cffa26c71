import { expect, it } from 'vitest';
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
