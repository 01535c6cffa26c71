import { describe, expect, it } from 'vitest';
import { completionsOf, COMPLETIONS } from '../../../src/cli/flags/completion.ts';
import { optional, toggle } from '../../../src/cli/flags/flag.ts';
import { anyText, choice, path } from '../../../src/cli/flags/value-types.ts';
import type { CommandDefinition } from '../../../src/cli/flags/flag.ts';

const CHECK: CommandDefinition = {
  name: 'check',
  summary: 'Judge manifests',
  usage: '',
  description: [],
  positionals: { name: 'FILE', minimum: 1, maximum: 9, suggestions: 'files', missing: 'name one' },
  flags: {
    output: optional(choice(['text', 'json', 'junit']), 'The format.', { short: 'o' }),
    'output-dir': optional(path('DIR', 'directories'), 'The directory.'),
    policies: optional(path('FILE', 'files'), 'The policies.', { short: 'p' }),
    name: optional(anyText('NAME'), 'A name.', { short: 'n' }),
    strict: toggle('Be strict.', { short: 's' }),
  },
  exitCodes: {},
};
const SHELL: CommandDefinition = {
  ...CHECK,
  name: 'completion',
  summary: 'Print a script',
  positionals: { name: 'SHELL', minimum: 1, maximum: 1, suggestions: ['bash', 'zsh'], missing: 'name one' },
  flags: {},
};
const VERSION: CommandDefinition = { ...SHELL, name: 'version', summary: 'Print the version', positionals: undefined };

const answer = (...words: string[]): string => completionsOf([CHECK, SHELL, VERSION], words);

const FLAGS =
  '--output\tThe format.\n--output-dir\tThe directory.\n--policies\tThe policies.\n--name\tA name.\n--strict\tBe strict.\n--help\tPrint help.\n';

describe('the first word', () => {
  it('may become each command that begins so, with its summary', () => {
    const all = 'check\tJudge manifests\ncompletion\tPrint a script\nversion\tPrint the version\n';
    expect([answer(), answer('')]).toEqual([all, all]);
    expect(answer('c')).toBe('check\tJudge manifests\ncompletion\tPrint a script\n');
    expect(answer('check')).toBe('check\tJudge manifests\n');
    expect(answer('heck')).toBe('');
  });

  it('must be a known command before other words', () => {
    expect([answer('chec', ''), answer('', ''), answer('x', '--')]).toEqual(['', '', '']);
  });
});

describe('a word after a command', () => {
  it('may become a flag after a dash, with the summary, and --help is the last', () => {
    expect([answer('check', '-'), answer('check', '--'), answer('check', 'a.yaml', '--strict', '-')]).toEqual([
      FLAGS,
      FLAGS,
      FLAGS,
    ]);
    expect(answer('check', '--output')).toBe('--output\tThe format.\n--output-dir\tThe directory.\n');
    expect(answer('check', '--he')).toBe('--help\tPrint help.\n');
    expect(answer('version', '-')).toBe('--help\tPrint help.\n');
  });

  it('may become an argument of the command', () => {
    expect([answer('check', ''), answer('check', 'a')]).toEqual([':files\n', ':files\n']);
    expect([answer('completion', ''), answer('completion', 'z')]).toEqual(['bash\nzsh\n', 'zsh\n']);
    expect(answer('version', '')).toBe('');
  });

  it('is no value after a switch, after an unknown flag, or after an argument', () => {
    for (const before of ['--strict', '-s', '--no-such', 'output', '-'])
      expect(answer('check', before, ''), before).toBe(':files\n');
  });
});

describe('a word after a flag with a value', () => {
  it.each(['--output', '-o'])('may become a value of %s', (flag) => {
    expect(answer('check', flag, '')).toBe('text\njson\njunit\n');
    expect(answer('check', flag, 'j')).toBe('json\njunit\n');
    expect(answer('check', flag, '-')).toBe('');
  });

  it.each([
    ['--policies', ':files\n'],
    ['-p', ':files\n'],
    ['--output-dir', ':directories\n'],
    ['--name', ''],
    ['-n', ''],
  ])('asks the shell for names, or nothing: %s', (flag, names) => {
    expect(answer('check', flag, '')).toBe(names);
    expect(answer('check', flag, 'a')).toBe(names);
  });
});

describe('a word with an equals sign', () => {
  it('may become the same flag with a value', () => {
    expect(answer('check', '--output=')).toBe('--output=text\n--output=json\n--output=junit\n');
    expect(answer('check', '--output=j')).toBe('--output=json\n--output=junit\n');
    expect(answer('check', '--policies=')).toBe(':files\n');
    expect(answer('check', '--output-dir=a')).toBe(':directories\n');
    expect(answer('check', '--no-such=')).toBe('');
    expect(answer('check', '--strict=')).toBe('');
  });

  it('wins over a flag before it', () => {
    expect(answer('check', '--output', '--policies=')).toBe(':files\n');
  });

  it('is three words in bash', () => {
    expect(answer('check', '--output', '=')).toBe('text\njson\njunit\n');
    expect(answer('check', '--output', '=', 'js')).toBe('json\n');
    expect(answer('check', '--policies', '=')).toBe(':files\n');
    expect(answer('check', '--strict', '=', 'a')).toBe(':files\n');
    expect(answer('check', 'a', '--output-dir', '=', 'b')).toBe(':directories\n');
  });
});

describe('the script of a shell', () => {
  it.each(Object.entries(COMPLETIONS))('asks the program for the words so far: %s', (shell, script) => {
    expect(script).toMatch(/ __complete .*2>\/dev\/null/);
    expect(script).toContain(`probewright completion ${shell}`);
    for (const word of [':files', ':directories']) expect(script).toContain(word);
    expect(script.endsWith('\n')).toBe(true);
  });
});
