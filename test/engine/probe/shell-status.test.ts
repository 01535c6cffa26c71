import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readShellScript } from '../../../src/engine/probe/shell-script.ts';
import { alwaysTrue } from '../../../src/engine/probe/shell-status.ts';

/** `succeeds`: scripts that always succeed, with the reason. `mayFail`: scripts of which nothing is told. */
const { succeeds: SUCCEEDS, mayFail: MAY_FAIL } = JSON.parse(
  readFileSync('test/fixtures/commands/status.json', 'utf8'),
) as { succeeds: [string, string][]; mayFail: string[] };

const NO_OPTIONS = { isErrexit: false, isPipefail: false };

function reasonOf(script: string, options = NO_OPTIONS): string | undefined {
  const list = readShellScript(script);
  const found = list && alwaysTrue(list, options);
  return found && `${found.reason} ${found.program}`;
}

describe('a script that always succeeds', () => {
  it.each(SUCCEEDS)('is %j: %s', (script, reason) => {
    expect(reasonOf(script)).toBe(reason);
  });

  it.each(MAY_FAIL)('is not %j', (script) => {
    expect(reasonOf(script)).toBeUndefined();
  });

  it('obeys the options of the shell', () => {
    expect(reasonOf('a | head', { isErrexit: false, isPipefail: true })).toBeUndefined();
    expect(reasonOf('echo a | head', { isErrexit: false, isPipefail: true })).toBe('filter head');
    expect(reasonOf('a; true', { isErrexit: true, isPipefail: false })).toBeUndefined();
    expect(reasonOf('a | head', { isErrexit: true, isPipefail: false })).toBe('filter head');
  });
});
