import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { alwaysTrue } from '../../../src/engine/probe/shell-status.ts';
import { readShellScript } from '../../../src/engine/probe/shell-script.ts';

const NO_OPTIONS = { isErrexit: false, isPipefail: false };

function reasonOf(script: string, options = NO_OPTIONS): string | undefined {
  const found = alwaysTrue(readShellScript(script), options);
  return found && `${found.reason} ${found.program}`;
}

describe('a script that always succeeds', () => {
  it.each(cases('shell-status', 'succeeds') as [string, string][])('is %j: %s', (script, reason) =>
    expect(reasonOf(script)).toBe(reason),
  );

  it.each(cases('shell-status', 'mayFail') as string[])('is not %j', (script) =>
    expect(reasonOf(script)).toBeUndefined(),
  );

  it('obeys the options of the shell', () => {
    expect(reasonOf('a | head', { isErrexit: false, isPipefail: true })).toBeUndefined();
    expect(reasonOf('echo a | head', { isErrexit: false, isPipefail: true })).toBe('filter head');
    expect(reasonOf('a; true', { isErrexit: true, isPipefail: false })).toBeUndefined();
    expect(reasonOf('a | head', { isErrexit: true, isPipefail: false })).toBe('filter head');
  });
});
