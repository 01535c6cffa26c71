import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_DEFINITIONS, COMMAND_TABLE } from '../../src/cli/command-table.ts';
import { runProbewright } from './run-probewright.ts';

let directory: string;
let program: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'probewright-completion-'));
  mkdirSync(join(directory, 'policies'));
  writeFileSync(join(directory, 'a b.yaml'), '');
  writeFileSync(join(directory, 'c.yaml'), '');
  writeFileSync(join(directory, '.completion.bash'), (await runProbewright(['completion', 'bash'])).stdout);
  program = join(directory, '.program');
  const start = [process.execPath, resolve('src/main.ts')].map((word) => JSON.stringify(word)).join(' ');
  writeFileSync(program, `#!/bin/sh\nexec ${start} "$@"\n`, { mode: 0o755 });
});

afterAll(() => rmSync(directory, { recursive: true }));

/** What the program answers a shell, without descriptions. */
async function answers(...words: string[]): Promise<string[]> {
  const { code, stdout } = await runProbewright(['__complete', ...words]);
  expect(code).toBe(0);
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.replace(/\t.*/, '')]));
}

/** What bash suggests for the last of these words. */
function suggestions(...words: string[]): string[] {
  const script =
    'source .completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _probewright; printf "%s\\n" "${COMPREPLY[@]}"';
  const output = execFileSync('bash', ['--norc', '-c', script, 'bash', program, ...words], {
    cwd: directory,
    encoding: 'utf8',
  });
  return output.split('\n').filter((line) => line !== '');
}

const flagsOf = (name: keyof typeof COMMAND_TABLE): string[] =>
  [...Object.keys(COMMAND_TABLE[name].flags), 'help'].map((flag) => `--${flag}`);

const FORMATS = ['text', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'];

describe('the answer to a shell', () => {
  it('has each command with what it does', async () => {
    expect(await answers('')).toEqual(COMMAND_DEFINITIONS.map(({ name }) => name));
    expect(await answers()).toEqual(COMMAND_DEFINITIONS.map(({ name }) => name));
    expect((await runProbewright(['__complete', 'expl'])).stdout).toBe(`explain\t${COMMAND_TABLE.explain.summary}\n`);
    expect(await answers('no-such-command', '')).toEqual([]);
  });

  it.each(['serve', 'check', 'fix', 'explain'] as const)('has the flags of %s after a dash', async (name) => {
    expect(await answers(name, '-')).toEqual(flagsOf(name));
    expect(await answers(name, '--hel')).toEqual(['--help']);
  });

  it('has the values of a flag, in the next word and after an equals sign', async () => {
    expect(await answers('check', '--output', '')).toEqual(FORMATS);
    expect(await answers('check', '--output', 's')).toEqual(['sarif']);
    expect(await answers('check', '--output=')).toEqual(FORMATS.map((format) => `--output=${format}`));
    expect(await answers('check', '--output=ju')).toEqual(['--output=junit']);
    expect(await answers('check', '--output', '=')).toEqual(FORMATS);
    expect(await answers('check', '--output', '=', 'ju')).toEqual(['junit']);
    expect(await answers('check', '-n', '')).toEqual([]);
    expect(await answers('serve', '--port=')).toEqual([]);
  });

  it('asks for files or directories where names are read, also behind a switch', async () => {
    expect(await answers('check', '')).toEqual([':files']);
    expect(await answers('check', '--strict', 'a')).toEqual([':files']);
    expect(await answers('fix', '--policies=')).toEqual([':files']);
    expect(await answers('explain', '--output-dir', '')).toEqual([':directories']);
  });

  it('has the words that an argument can be', async () => {
    expect(await answers('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await answers('help', 'fi')).toEqual(['fix']);
    expect(await answers('checks', 'named')).toEqual(['named-port']);
    expect(await answers('version', '')).toEqual([]);
  });
});

describe('completion in bash', () => {
  it('suggests words without their descriptions', () => {
    expect(suggestions('ex')).toEqual(['explain', 'export']);
    expect(suggestions('check', '--outp')).toEqual(['--output']);
    expect(suggestions('check', '--output', '=', 'ju')).toEqual(['junit']);
    expect(suggestions('version', '')).toEqual([]);
  });

  it('suggests files, whole names with blanks in them, and directories where only those are read', () => {
    expect(suggestions('check', '--strict', 'a')).toEqual(['a b.yaml']);
    expect(suggestions('check', '--policies', '=').sort()).toEqual(expect.arrayContaining(['c.yaml', 'policies']));
    expect(suggestions('explain', '--output-dir', '')).toEqual(['policies']);
  });
});

describe.each(['zsh', 'fish'])('completion in %s', (shell) => {
  it('asks the program for the words so far, and names no command itself', async () => {
    const { stdout } = await runProbewright(['completion', shell]);
    expect(stdout).toMatch(/ __complete .*2>\/dev\/null/);
    expect(stdout).not.toMatch(/explain|--output/);
    const file = join(directory, `.completion.${shell}`);
    writeFileSync(file, stdout);
    // Where the shell is installed, it reads the script.
    const { error, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (error === undefined) expect(stderr).toBe('');
    else console.log(`not read by ${shell}: it is not installed`);
  });
});
