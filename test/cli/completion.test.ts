import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_DEFINITIONS, COMMAND_TABLE } from '../../src/cli/command-table.ts';
import { runProbewright } from './run-probewright.ts';

let directory: string;
let bash: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'probewright-completion-'));
  mkdirSync(join(directory, 'policies'));
  writeFileSync(join(directory, 'a b.yaml'), '');
  writeFileSync(join(directory, 'c.yaml'), '');
  bash = join(directory, '.completion.bash');
  writeFileSync(bash, (await runProbewright(['completion', 'bash'])).stdout);
});

afterAll(() => rmSync(directory, { recursive: true }));

/** What bash suggests for the last of these words. */
function suggestions(...words: string[]): string[] {
  const script =
    'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _probewright; printf "%s\\n" "${COMPREPLY[@]}"';
  const output = execFileSync('bash', ['--norc', '-c', script, bash, 'probewright', ...words], {
    cwd: directory,
    encoding: 'utf8',
  });
  return output.split('\n').filter((line) => line !== '');
}

const flagsOf = (name: keyof typeof COMMAND_TABLE): string[] =>
  [...Object.keys(COMMAND_TABLE[name].flags), 'help'].map((flag) => `--${flag}`);

describe('completion in bash', () => {
  it('suggests commands', () => {
    expect(suggestions('')).toEqual(COMMAND_DEFINITIONS.map(({ name }) => name));
    expect(suggestions('ex')).toEqual(['explain']);
  });

  it.each(['serve', 'check', 'fix', 'explain'] as const)('suggests the flags of %s after a dash', (name) => {
    expect(suggestions(name, '-')).toEqual(flagsOf(name));
    expect(suggestions(name, '--', '')).toBeDefined();
  });

  it('suggests the values of a flag, in the next word and after an equals sign', () => {
    expect(suggestions('check', '--output', '')).toEqual([
      'text',
      'json',
      'sarif',
      'junit',
      'github',
      'gitlab',
      'markdown',
    ]);
    expect(suggestions('check', '--output', 's')).toEqual(['sarif']);
    expect(suggestions('fix', '--output', '')).toEqual(['yaml', 'json']);
    // Readline splits at the equals sign.
    expect(suggestions('check', '--output', '=')).toEqual([
      'text',
      'json',
      'sarif',
      'junit',
      'github',
      'gitlab',
      'markdown',
    ]);
    expect(suggestions('check', '--output', '=', 'ju')).toEqual(['junit']);
  });

  it('suggests nothing for a value that can be any text', () => {
    expect(suggestions('check', '--namespace', '')).toEqual([]);
    expect(suggestions('serve', '--port', '=', '')).toEqual([]);
  });

  it('suggests files, whole names with blanks in them, and directories where only those are read', () => {
    expect(suggestions('check', '').sort()).toEqual(['.completion.bash', 'a b.yaml', 'c.yaml', 'policies']);
    expect(suggestions('check', '--strict', 'a')).toEqual(['a b.yaml']);
    expect(suggestions('fix', '--policies', 'p')).toEqual(['policies']);
    expect(suggestions('explain', '--output-dir', '')).toEqual(['policies']);
  });

  it('suggests the words that an argument can be', () => {
    expect(suggestions('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(suggestions('help', 'fi')).toEqual(['fix']);
    expect(suggestions('checks', 'named')).toEqual(['named-port']);
    expect(suggestions('version', '')).toEqual([]);
  });
});

describe('completion in zsh', () =>
  it('has a specification of each flag and argument, with its values', async () => {
    const { stdout } = await runProbewright(['completion', 'zsh']);
    expect(stdout.startsWith('#compdef probewright\n')).toBe(true);
    for (const { name, flags } of COMMAND_DEFINITIONS) {
      const [, body = ''] = stdout.split(`\n    ${name})\n`);
      const [specifications = ''] = body.split(';;');
      for (const [flag, { type, isRepeatable }] of Object.entries(flags))
        expect(specifications).toContain(`'${isRepeatable ? '*' : ''}--${flag}${type === undefined ? '' : '='}[`);
    }
    expect(stdout).toContain(
      ":text|json|sarif|junit|github|gitlab|markdown:(text json sarif junit github gitlab markdown)'",
    );
    expect(stdout).toContain("'*:argument:_files'");
    expect(stdout).toContain("'*:argument:(bash zsh fish)'");
    expect(stdout).toContain(":DIR:_files -/'");
    expect(quotesAreBalanced(stdout)).toBe(true);
  }));

describe('completion in fish', () =>
  it('has a line for each command, flag and argument, with its values', async () => {
    const { stdout } = await runProbewright(['completion', 'fish']);
    const lines = stdout.split('\n');
    for (const { name, flags } of COMMAND_DEFINITIONS) {
      expect(lines.some((line) => line.includes(`-n __fish_use_subcommand -a ${name} -d '`))).toBe(true);
      const own = lines.filter((line) => line.includes(`'__fish_seen_subcommand_from ${name}'`));
      const named = own.map((line) => / -l ([a-z-]+) /.exec(line)?.[1]).filter((flag) => flag !== undefined);
      expect(named).toEqual([...Object.keys(flags), 'help']);
    }
    expect(stdout).toContain(" -l output -x -a 'text json sarif junit github gitlab markdown' -d '");
    expect(stdout).toContain(' -l workload-kinds -r -F -d ');
    expect(stdout).toContain(' -l port -x -d ');
    expect(stdout).toContain(' -l strict -d ');
    expect(lines.filter((line) => !line.startsWith('#')).every(fishQuotesAreBalanced)).toBe(true);
  }));

/** In zsh a backslash means itself inside of single quotes. */
function quotesAreBalanced(script: string): boolean {
  return script.replaceAll("'\\''", '').split("'").length % 2 === 1;
}

/** In fish a backslash escapes a single quote inside of single quotes. */
function fishQuotesAreBalanced(line: string): boolean {
  return line.replace(/\\[\\']/g, '').split("'").length % 2 === 1;
}
