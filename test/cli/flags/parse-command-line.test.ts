import { describe, expect, it } from 'vitest';
import { optional, repeatable, toggle, withDefault } from '../../../src/cli/flags/flag.ts';
import { parseCommandLine, type Environment } from '../../../src/cli/flags/parse-command-line.ts';
import {
  anyText,
  choice,
  commaList,
  durationValue,
  path,
  someText,
  trueOrFalse,
  wholeNumber,
} from '../../../src/cli/flags/value-types.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { CommandDefinition, FlagValues } from '../../../src/cli/flags/flag.ts';

const summary = 'A flag.';
const FLAGS = {
  name: optional(anyText('NAME'), summary),
  host: withDefault(someText('HOST'), 'localhost', summary),
  file: optional(path('FILE', 'files'), summary),
  port: withDefault(wholeNumber('PORT', 1, 9), '8', summary),
  level: withDefault(choice(['Deny', 'Warn', 'Audit']), 'Deny', summary),
  output: withDefault(choice(['yaml', 'json']), 'yaml', summary),
  trust: withDefault(trueOrFalse(), 'true', summary),
  after: withDefault(durationValue(86_400_000), '1m', summary),
  users: optional(commaList('USER'), summary),
  strict: toggle(summary),
  exclude: repeatable(someText('GLOB'), summary),
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

function parse(args: readonly string[]): { flags: FlagValues<typeof FLAGS>; positionals: readonly string[] } {
  const line = parseCommandLine(COMMAND, args, {});
  if (line.kind !== 'command') throw new Error(JSON.stringify(line));
  return line;
}

function problems(args: readonly string[], changes: Partial<CommandDefinition<typeof FLAGS>>): readonly string[] {
  const line = parseCommandLine({ ...COMMAND, ...changes }, args, {});
  return line.kind === 'problems' ? line.problems : [];
}

const LETTER_FLAGS = {
  namespace: optional(anyText('NAME'), summary, { short: 'n' }),
  all: toggle(summary, { short: 'A' }),
} as const;
const LETTERS: CommandDefinition<typeof LETTER_FLAGS> = {
  name: 'try',
  summary: 'Try letters',
  usage: '[flags]',
  description: [],
  positionals: {
    name: 'FILE',
    minimum: 1,
    maximum: 2,
    suggestions: 'files',
    missing: 'name one',
    replacedBy: ['all'],
  },
  flags: LETTER_FLAGS,
  readsEnvironment: false,
  exitCodes: [],
};

interface Case {
  readonly args: readonly string[];
  readonly env?: Environment;
  readonly command?: 'letters';
  readonly readsEnvironment?: boolean;
  readonly takes?: CommandDefinition<typeof FLAGS>['positionals'] | null;
}

/** The meaning of a command line, where it differs from one without arguments. */
function meaning({ args, env = {}, command, readsEnvironment = true, takes = COMMAND.positionals }: Case): JsonObject {
  const known = { ...COMMAND, readsEnvironment, positionals: takes ?? undefined };
  const line = command === 'letters' ? parseCommandLine(LETTERS, args, env) : parseCommandLine(known, args, env);
  if (line.kind === 'help') return { wantsHelp: true };
  if (line.kind === 'problems') return { problems: [...line.problems] };
  const defaults = command === 'letters' ? { namespace: undefined, all: false } : parse([]).flags;
  const flags = Object.entries(line.flags).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof typeof defaults]),
  );
  return {
    flags: flags.length > 0 ? Object.fromEntries(flags) : undefined,
    positionals: line.positionals.length > 0 ? line.positionals : undefined,
  };
}

describe('a command line', () => {
  describeCases('test/fixtures/command-lines.yaml', ['flags', 'positionals', 'problems', 'wantsHelp'], (given) =>
    meaning(given as unknown as Case),
  );

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

  it('has more arguments than fit into a call', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => `${index}.yaml`);
    expect(parse(['--', ...many.slice(0, 3)]).positionals).toHaveLength(3);
    expect(parse(many).positionals).toHaveLength(200_000);
    expect(parse(['--'].concat(many)).positionals).toHaveLength(200_000);
  });

  it('does not miss a flag that is misspelt', () => {
    const conflicts = (): string[] => ['--host: must be given', '--name: must be given'];
    expect(problems(['--hots', 'a'], { conflicts })).toEqual([
      '--hots: unknown flag; did you mean --host?',
      '--name: must be given',
    ]);
  });

  it('reports conflicts beside other problems, with defaults in the place of bad values', () => {
    const conflicts = ({ port, name }: FlagValues<typeof FLAGS>): string[] => [`--port: ${port}, ${String(name)}`];
    expect(problems(['--port', 'x'], { conflicts })).toEqual([
      '--port: must be a whole number from 1 to 9, not "x"',
      '--port: 8, undefined',
    ]);
  });
});

describe('defaults of a project file', () => {
  const read = (args: readonly string[], defaults: Record<string, string[]>, env: Environment = {}) => {
    const line = parseCommandLine(COMMAND, args, env, new Map(Object.entries(defaults)));
    return line.kind === 'command' ? line.flags : line;
  };

  it('count for a flag that is not given, and lose against the flag and its variable', () => {
    expect(read([], { port: ['3'] })).toMatchObject({ port: 3 });
    expect(read(['--port', '4'], { port: ['3'] })).toMatchObject({ port: 4 });
    expect(read([], { port: ['3'] }, { PROBEWRIGHT_PORT: '5' })).toMatchObject({ port: 5 });
    expect(read(['--name='], { name: ['n'] })).toMatchObject({ name: '' });
  });

  it('come before the texts of a flag that may be given several times', () => {
    expect(read([], { exclude: ['a', 'b'] })).toMatchObject({ exclude: ['a', 'b'] });
    expect(read(['--exclude', 'c'], { exclude: ['a', 'b'] })).toMatchObject({ exclude: ['a', 'b', 'c'] });
    expect(read([], { exclude: ['a'] }, { PROBEWRIGHT_EXCLUDE: 'd' })).toMatchObject({ exclude: ['a', 'd'] });
  });

  it('are checked as the flag is', () => {
    expect(read([], { port: ['x'] })).toMatchObject({
      problems: ['--port: must be a whole number from 1 to 9, not "x"'],
    });
    expect(read(['--port', '4'], { port: ['x'] })).toMatchObject({ port: 4 });
  });
});
