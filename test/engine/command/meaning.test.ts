import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { whyAlwaysTrue } from '../../../src/engine/command/meaning.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

function reasonOf(script: string, options: readonly string[] = []): string | undefined {
  const command = new ExecCommand(['sh', ...options, '-c', script]);
  const found = whyAlwaysTrue(command, ['answer', 'itself', 'output', 'ping']);
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
    expect(reasonOf('a | head', ['-o', 'pipefail'])).toBeUndefined();
    expect(reasonOf('echo a | head', ['-o', 'pipefail'])).toBe('filter head');
    expect(reasonOf('a; true', ['-e'])).toBeUndefined();
    expect(reasonOf('a | head', ['-e'])).toBe('filter head');
  });
});
