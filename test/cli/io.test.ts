import { describe, expect, it } from 'vitest';
import { EXIT_DENIED, EXIT_OK, EXIT_USAGE, printLine } from '../../src/cli/io.ts';

describe('a line for people', () => {
  it.each([
    ['ends with one newline', 'a.yaml: is wrong', 'a.yaml: is wrong\n'],
    ['is there without a text, too', '', '\n'],
    ['shows hidden characters as escapes', 'a\u001b[31mb', 'a\\u001b[31mb\n'],
  ])('%s', (_what, text, expected) => {
    const written: string[] = [];
    printLine({ write: (part) => written.push(part) }, text);
    expect(written.join('')).toBe(expected);
  });

  it('is no command for the runner of GitHub Actions', () => {
    let written = '';
    printLine({ write: (part) => (written += part) }, '::error::forged');
    expect(written).not.toMatch(/^::/);
    expect(written).toContain('error::forged');
  });
});

describe('the exit codes', () => {
  it('are 0 for success, 1 for a denial and 2 for an input that cannot be read', () =>
    expect([EXIT_OK, EXIT_DENIED, EXIT_USAGE]).toEqual([0, 1, 2]));
});
