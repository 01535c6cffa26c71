import { describe, expect, it } from 'vitest';
import { COMMAND_DEFINITIONS, COMMAND_TABLE, isCommandName, LIST_CHECKS } from '../../src/cli/command-table.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { runProbewright } from './run-probewright.ts';

describe('the table of commands', () => {
  it('has each command under its name, once', () => {
    expect(Object.keys(COMMAND_TABLE)).toEqual(COMMAND_DEFINITIONS.map(({ name }) => name));
    for (const name of Object.keys(COMMAND_TABLE)) expect(isCommandName(name)).toBe(true);
  });

  it.each(['', 'chekc', 'Check', 'toString', '__proto__'])('has no command %j', (name) =>
    expect(isCommandName(name)).toBe(false),
  );
});

describe('the arguments of a command', () => {
  it.each([
    [['checks'], 0],
    [['checks', 'exec-cost'], 0],
    [['checks', 'exec-cost', 'named-port'], 2],
    [['completion'], 2],
    [['completion', 'bash'], 0],
    [['completion', 'bash', 'zsh'], 2],
    [['help'], 0],
    [['help', 'check'], 0],
    [['help', 'version'], 0],
    [['help', 'check', 'fix'], 2],
    [['version', 'now'], 2],
  ])('%j end with %d', async (args, code) => expect((await runProbewright(args)).code).toBe(code));

  it('name a shell for completion, and the message says which', async () =>
    expect((await runProbewright(['completion'])).stderr).toContain('name one of bash, zsh, fish'));

  it('name a check, and every check is suggested', () =>
    expect(LIST_CHECKS.positionals?.suggestions).toEqual(Object.keys(CHECK_CATALOGUE)));
});
