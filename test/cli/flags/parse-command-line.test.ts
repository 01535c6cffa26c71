import { describe, expect, it } from 'vitest';
import { optional, repeatable, toggle, withDefault } from '../../../src/cli/flags/flag.ts';
import { parseCommandLine, type Environment } from '../../../src/cli/flags/parse-command-line.ts';
import {
  anyText,
  choice,
  commaList,
  duration,
  path,
  someText,
  trueOrFalse,
  wholeNumber,
} from '../../../src/cli/flags/value-types.ts';
import type { CommandDefinition, FlagValues } from '../../../src/cli/flags/flag.ts';

const summary = 'A flag.';
const FLAGS = {
  name: optional({ type: anyText('NAME'), summary }),
  host: withDefault({ type: someText('HOST'), default: 'localhost', summary }),
  file: optional({ type: path('FILE', 'files'), summary }),
  port: withDefault({ type: wholeNumber('PORT', 1, 9), default: '8', summary }),
  level: withDefault({ type: choice(['Deny', 'Warn', 'Audit']), default: 'Deny', summary }),
  output: withDefault({ type: choice(['yaml', 'json']), default: 'yaml', summary }),
  trust: withDefault({ type: trueOrFalse(), default: 'true', summary }),
  after: withDefault({ type: duration(86_400_000), default: '1m', summary }),
  users: optional({ type: commaList('USER'), summary }),
  strict: toggle({ summary }),
  exclude: repeatable({ type: someText('GLOB'), summary }),
} as const;

const COMMAND: CommandDefinition<typeof FLAGS> = {
  name: 'try',
  summary: 'Try flags',
  usage: 'FILE... [flags]',
  description: [],
  positionals: { name: 'FILE', minimum: 0, maximum: Infinity, suggestions: 'files', missing: 'name a file' },
  flags: FLAGS,
  readsEnvironment: true,
  exitCodes: {},
};

function parse(
  args: readonly string[],
  environment: Environment = {},
): { flags: FlagValues<typeof FLAGS>; positionals: readonly string[] } {
  const line = parseCommandLine(COMMAND, args, environment);
  if ('problems' in line) throw new Error(line.problems.join('\n'));
  if ('wantsHelp' in line) throw new Error('help');
  return line;
}

function problems(
  args: readonly string[],
  environment: Environment = {},
  changes: Partial<CommandDefinition<typeof FLAGS>> = {},
): readonly string[] {
  const line = parseCommandLine({ ...COMMAND, ...changes }, args, environment);
  return 'problems' in line ? line.problems : [];
}

describe('a command line', () => {
  it('has defaults', () =>
    expect(parse([]).flags).toEqual({
      name: undefined,
      host: 'localhost',
      file: undefined,
      port: 8,
      level: 'Deny',
      output: 'yaml',
      trust: true,
      after: 60_000,
      users: undefined,
      strict: false,
      exclude: [],
    }));

  it('has values of each type, in the next argument or after an equals sign', () => {
    const args = ['--port', '3', '--level=Warn', '--trust', 'false', '--after=1h30m', '--users=a, b', '--strict'];
    expect(parse(args).flags).toMatchObject({
      port: 3,
      level: 'Warn',
      trust: false,
      after: 5_400_000,
      users: ['a', 'b'],
      strict: true,
    });
    expect(parse(['--name=a=b', '--host', '-x']).flags).toMatchObject({ name: 'a=b', host: '-x' });
    expect(parse(['--name=--x', '--name=']).flags).toMatchObject({ name: '' });
  });

  it('takes the last value of a flag, and all values of a repeatable flag', () => {
    const args = ['--port', '1', '--exclude', 'a', '--port', '2', '--exclude=b'];
    expect(parse(args).flags).toMatchObject({ port: 2, exclude: ['a', 'b'] });
  });

  it('takes a switch for no flag with a value: the next argument is a file', () =>
    expect(parse(['--strict', 'a', '-', 'b'])).toMatchObject({
      flags: { strict: true },
      positionals: ['a', '-', 'b'],
    }));

  it('takes all arguments after two dashes for files', () =>
    expect(parse(['a', '--', '--strict', '-'])).toMatchObject({
      flags: { strict: false },
      positionals: ['a', '--strict', '-'],
    }));

  it('has more arguments than fit into a call', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `${index}.yaml`);
    expect(parse(['--', ...many.slice(0, 3)]).positionals).toHaveLength(3);
    expect(parse(many).positionals).toHaveLength(200_000);
    expect(parse(['--'].concat(many)).positionals).toHaveLength(200_000);
  });

  it.each([
    [['--prot', '1'], '--prot: unknown flag; did you mean --port?'],
    [['--nonsense=1'], '--nonsense: unknown flag'],
    [['-x'], '-x: unknown flag'],
    [['--__proto__', 'x'], '--__proto__: unknown flag'],
    [['--constructor'], '--constructor: unknown flag'],
    [['--port'], '--port: needs a value'],
    [['--port', '--strict'], '--port: needs a value'],
    [['--strict=true'], '--strict: takes no value, not "true"'],
    [['--host='], '--host: must not be empty'],
    [['--file', ''], '--file: must not be empty'],
    [['--port', '10'], '--port: must be a whole number from 1 to 9, not "10"'],
    [['--port', '1e0'], '--port: must be a whole number from 1 to 9, not "1e0"'],
    [['--level', 'warn'], '--level: must be Deny, Warn, Audit, not "warn"; did you mean "Warn"?'],
    [['--output', 'nonsense'], '--output: must be yaml or json, not "nonsense"'],
    [['--trust', 'yes'], '--trust: must be true or false, not "yes"'],
    [['--after', '0s'], '--after: must be a duration such as 90s, 5m, 1h30m or 7d, not "0s"'],
    [['--users', 'a,,b'], '--users: must be a comma list of names, not "a,,b"'],
    [['--exclude', 'a', '--exclude', ''], '--exclude: must not be empty'],
  ])('with %j: %s', (args, problem) => expect(problems(args)).toEqual([problem]));

  it('loses no other flag to a flag without a value', () =>
    expect(problems(['--host', '--port', '0'])).toEqual([
      '--host: needs a value',
      '--port: must be a whole number from 1 to 9, not "0"',
    ]));

  it('takes the argument after an unknown flag for its value, not for a file', () => {
    const positionals = {
      ...COMMAND.positionals,
      minimum: 1,
      name: 'FILE',
      maximum: 1,
      suggestions: 'files',
      missing: 'name a file',
    } as const;
    // One mistake gets one problem: the file may be there.
    expect(problems(['--nonsense', 'x'], {}, { positionals })).toEqual(['--nonsense: unknown flag']);
    expect(problems(['--nonsense'], {}, { positionals })).toEqual(['--nonsense: unknown flag', 'FILE: name a file']);
    expect(problems(['--prot', 'x'], {}, { positionals })).toEqual([
      '--prot: unknown flag; did you mean --port?',
      'FILE: name a file',
    ]);
    expect(problems(['--strickt', 'x'], {}, { positionals })).toEqual([
      '--strickt: unknown flag; did you mean --strict?',
    ]);
  });

  it('asks for help with --help or -h in the place of a flag, and nowhere else', () => {
    for (const args of [['--help'], ['-h'], ['a', '--nonsense', '-h'], ['--port', '--help']])
      expect(parseCommandLine(COMMAND, args, {})).toEqual({ wantsHelp: true });
    expect(parse(['--', '--help', '-h']).positionals).toEqual(['--help', '-h']);
    expect(parse(['--host', '-h', '--file=--help']).flags).toMatchObject({ host: '-h', file: '--help' });
  });

  it('does not miss a flag that is misspelt', () => {
    const conflicts = (): string[] => ['--host: must be given', '--name: must be given'];
    expect(problems(['--hots', 'a'], {}, { conflicts })).toEqual([
      '--hots: unknown flag; did you mean --host?',
      '--name: must be given',
    ]);
  });

  it('does not list many words in a message', () => {
    const suggestions = Array.from({ length: 11 }, (_, index) => `word-${index}`);
    const positionals = { name: 'WORD', minimum: 0, maximum: 1, suggestions, missing: '' };
    expect(problems(['wrod-7'], {}, { positionals })).toEqual(['WORD: unknown word "wrod-7"; did you mean "word-7"?']);
  });

  it('counts arguments, and knows the words among which one must be', () => {
    const positionals = {
      name: 'SHELL',
      minimum: 1,
      maximum: 1,
      suggestions: ['bash', 'fish'],
      missing: 'name a shell',
    };
    expect(problems([], {}, { positionals })).toEqual(['SHELL: name a shell']);
    expect(problems(['bahs', 'x'], {}, { positionals })).toEqual([
      'x: try takes at most 1 argument(s)',
      'SHELL: must be bash or fish, not "bahs"; did you mean "bash"?',
    ]);
    expect(problems(['x'], {}, { positionals: undefined })).toEqual(['x: try takes no arguments, only flags']);
  });

  it('reports conflicts beside other problems, with defaults in the place of bad values', () => {
    const conflicts = ({ port, name }: FlagValues<typeof FLAGS>): string[] => [`--port: ${port}, ${String(name)}`];
    expect(problems(['--port', 'x'], {}, { conflicts })).toEqual([
      '--port: must be a whole number from 1 to 9, not "x"',
      '--port: 8, undefined',
    ]);
  });
});

describe('the environment', () => {
  it('has values that flags override', () => {
    const environment = { PROBEWRIGHT_PORT: '3', PROBEWRIGHT_HOST: 'a' };
    expect(parse(['--host', 'b'], environment).flags).toMatchObject({ port: 3, host: 'b' });
  });

  it('is named in problems with its values', () => {
    expect(problems([], { PROBEWRIGHT_PORT: 'x' })).toEqual([
      'PROBEWRIGHT_PORT: must be a whole number from 1 to 9, not "x"',
    ]);
    expect(problems(['--port', '3'], { PROBEWRIGHT_PORT: 'x' })).toEqual([]);
  });

  it('has no value in an empty variable, or in the service link of a Service', () => {
    const environment = { PROBEWRIGHT_HOST: '', PROBEWRIGHT_PORT: 'tcp://10.96.12.7:443' };
    expect(parse([], environment).flags).toMatchObject({ port: 8, host: 'localhost' });
  });

  it('does not count for commands that do not read it', () =>
    expect(problems([], { PROBEWRIGHT_PORT: 'x' }, { readsEnvironment: false })).toEqual([]));
});

describe('a flag with a letter', () => {
  const flags = {
    namespace: optional({ type: anyText('NAME'), short: 'n', summary }),
    all: toggle({ short: 'A', summary }),
  } as const;
  const positionals = {
    name: 'FILE',
    minimum: 1,
    maximum: 2,
    suggestions: 'files',
    missing: 'name one',
    replacedBy: ['all'],
  };
  const command: CommandDefinition<typeof flags> = {
    name: 'try',
    summary: 'Try letters',
    usage: '[flags]',
    description: [],
    positionals: { ...positionals, suggestions: 'files' },
    flags,
    readsEnvironment: false,
    exitCodes: {},
  };

  it.each([
    ['-n shop x', { namespace: 'shop', all: false }, ['x']],
    ['-n=shop x', { namespace: 'shop', all: false }, ['x']],
    ['-nshop x', { namespace: 'shop', all: false }, ['x']],
    ['--namespace a -n b x', { namespace: 'b', all: false }, ['x']],
    ['-n - -', { namespace: '-', all: false }, ['-']],
    ['-A', { namespace: undefined, all: true }, []],
    ['-- -A', { namespace: undefined, all: false }, ['-A']],
  ])('is read in each form: %s', (line, values, expected) =>
    expect(parseCommandLine(command, line.split(' '), {})).toEqual({ flags: values, positionals: expected }),
  );

  it.each([
    ['-A=x y', ['--all: takes no value, not "x"']],
    ['-Ax y', ['-Ax: unknown flag; did you mean --all?']],
    ['-n', ['FILE: name one', '--namespace: needs a value']],
    ['-x y', ['-x: unknown flag']],
    ['--n shop x', ['--n: unknown flag']],
  ])('has problems as its long form has: %s', (line, problems) => {
    const parsed = parseCommandLine(command, line.split(' '), {});
    expect('problems' in parsed && [...parsed.problems].toSorted()).toEqual(problems.toSorted());
  });
});
