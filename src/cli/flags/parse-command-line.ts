import { quote } from '../../base/text/cut.ts';
import { didYouMean, suggestion } from '../../base/text/suggestion.ts';
import { choice } from './value-types.ts';
import type { CommandDefinition, CommandLine, Flag, Flags, FlagValues } from './flag.ts';

type CommandLineParse<F extends Flags> =
  CommandLine<F> | { readonly problems: readonly string[] } | { readonly wantsHelp: true };

const HELP_FLAGS = ['--help', '-h'];

/**
 * Reads the arguments after a command's name: `--flag value`, `--flag=value`, `--switch` and positionals. A flag with a
 * letter may also be written `-f value`, `-f=value` and `-fvalue`. A value that begins with two dashes needs the form
 * `--flag=value`. All arguments after `--` are positionals. A flag overrides its environment variable. `--help` and
 * `-h` count in the place of a flag only, and whatever else is wrong.
 *
 * `parseArgs` of Node takes the next flag as the value of a flag without a value, and splits `-Ax` and `-n=x` into
 * letters. Its tokens would have to be put together again.
 */
export function parseCommandLine<F extends Flags>(
  definition: CommandDefinition<F>,
  args: readonly string[],
  environment: Environment,
): CommandLineParse<F> {
  const problems: string[] = [];
  const { texts, positionals, wantsHelp, mayLack, meantFlags } = splitArguments(args, definition.flags, problems);
  if (wantsHelp) return { wantsHelp };
  const replaces = definition.positionals?.replacedBy?.some((name) => texts.has(name)) ?? false;
  checkPositionals(definition, positionals, mayLack || replaces, problems);
  const values = Object.entries(definition.flags).map(([name, flag]) => {
    const given = texts.get(name);
    const variable = definition.readsEnvironment === true ? valueFromEnvironment(name, environment) : undefined;
    const isVariable = given === undefined && variable !== undefined;
    const origin = isVariable ? variableOf(name) : `--${name}`;
    return [name, readFlag(flag, isVariable ? [variable] : (given ?? []), origin, problems)] as const;
  });
  const flags = Object.fromEntries(values) as FlagValues<F>;
  // A misspelt flag is not missing too.
  const conflicts = (definition.conflicts?.(flags) ?? []).filter(
    (each) => !meantFlags.has(each.split(':', 1)[0] ?? ''),
  );
  const allProblems = [...problems, ...conflicts];
  return allProblems.length > 0 ? { problems: allProblems } : { flags, positionals };
}

interface SplitArguments {
  readonly texts: Map<string, string[]>;
  readonly positionals: string[];
  wantsHelp: boolean;
  /** True when an argument after an unknown flag is either a value or a positional. */
  mayLack: boolean;
  /** The flags that a person probably meant with unknown flags: `--port`. */
  readonly meantFlags: Set<string>;
}

function splitArguments(args: readonly string[], flags: Flags, problems: string[]): SplitArguments {
  const split: SplitArguments = {
    texts: new Map(),
    positionals: [],
    wantsHelp: false,
    mayLack: false,
    meantFlags: new Set(),
  };
  const add = (name: string, text: string): void => {
    const own = split.texts.get(name);
    if (own === undefined) split.texts.set(name, [text]);
    else own.push(text);
  };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const next = args[index + 1];
    if (arg === '--') return { ...split, positionals: split.positionals.concat(args.slice(index + 1)) };
    if (HELP_FLAGS.includes(arg)) return { ...split, wantsHelp: true };
    if (isPositional(arg)) {
      split.positionals.push(arg);
      continue;
    }
    const { written, name, inline } = readArgument(arg, flags);
    const flag = written.startsWith('--') && Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      const meant = suggestion(name, Object.keys(flags));
      const hint = meant === undefined ? '' : `; did you mean --${meant}?`;
      problems.push(`${written}: unknown flag${hint}`);
      if (meant !== undefined) split.meantFlags.add(`--${meant}`);
      // A person who meant a flag with a value meant the next argument as the value. One mistake gets one problem.
      const isSwitch = meant !== undefined && flags[meant]?.type === undefined;
      if (inline === undefined && next !== undefined && isPositional(next) && !isSwitch) {
        index += 1;
        split.mayLack ||= meant === undefined;
      }
    } else if (flag.type === undefined) {
      if (inline === undefined) add(name, '');
      else problems.push(`--${name}: takes no value, not ${quote(inline)}`);
    } else if (inline !== undefined) add(name, inline);
    else if (next === undefined || next.startsWith('--')) problems.push(`--${name}: needs a value`);
    else {
      add(name, next);
      index += 1;
    }
  }
  return split;
}

/** Splits `--flag=value`, and reads `-f`, `-f=value` and `-fvalue` as the flag with the letter. */
function readArgument(arg: string, flags: Flags): { written: string; name: string; inline: string | undefined } {
  const letter = arg.startsWith('--') ? undefined : arg[1];
  const found = Object.entries(flags).find(([, { short }]) => short !== undefined && short === letter);
  const rest = arg.slice(2);
  // `-Ax` is no form of a switch.
  if (found !== undefined && (found[1].type !== undefined || rest === '' || rest.startsWith('=')))
    return { written: `--${found[0]}`, name: found[0], inline: rest === '' ? undefined : rest.replace(/^=/, '') };
  const equals = arg.indexOf('=');
  const written = equals < 0 ? arg : arg.slice(0, equals);
  return { written, name: written.replace(/^--?/, ''), inline: equals < 0 ? undefined : arg.slice(equals + 1) };
}

/** A single dash means standard input, so it is a positional. */
function isPositional(arg: string): boolean {
  return !arg.startsWith('-') || arg === '-';
}

function checkPositionals(
  { name, positionals: expected }: CommandDefinition,
  positionals: readonly string[],
  mayLack: boolean,
  problems: string[],
): void {
  if (expected === undefined) {
    for (const positional of positionals) problems.push(`${positional}: ${name} takes no arguments, only flags`);
    return;
  }
  if (positionals.length < expected.minimum && !mayLack) problems.push(`${expected.name}: ${expected.missing}`);
  for (const extra of positionals.slice(expected.maximum))
    problems.push(`${extra}: ${name} takes at most ${expected.maximum} argument(s)`);
  if (typeof expected.suggestions === 'string') return;
  for (const positional of positionals.slice(0, expected.maximum)) {
    const problem = problemOfWord(positional, expected.name, expected.suggestions);
    if (problem !== undefined) problems.push(`${expected.name}: ${problem}`);
  }
}

/** A message with more words than this is not read to its end. */
const MOST_LISTED_WORDS = 10;

function problemOfWord(text: string, name: string, words: readonly string[]): string | undefined {
  const reading = choice(words).read(text);
  if (!('problem' in reading)) return undefined;
  if (words.length <= MOST_LISTED_WORDS) return reading.problem;
  return `unknown ${name.toLowerCase()} ${quote(text)}${didYouMean(text, words)}`;
}

/**
 * Reads the value of a flag. A bad value is reported under the name that the user wrote, and the default replaces the
 * value.
 */
function readFlag(flag: Flag<unknown>, texts: readonly string[], origin: string, problems: string[]): unknown {
  const reading = flag.read(texts);
  if ('value' in reading) return reading.value;
  problems.push(`${origin}: ${reading.problem}`);
  const fallback = flag.read([]);
  return 'value' in fallback ? fallback.value : undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment variable of a flag: `PROBEWRIGHT_HEALTH_PORT` for `health-port`. */
export function variableOf(flag: string): string {
  return `PROBEWRIGHT_${flag.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * A service link such as `tcp://10.96.0.7:443`. A kubelet sets such variables for a Service in each Pod of the
 * Service's namespace.
 */
const SERVICE_LINK = /^(tcp|udp|sctp):\/\//;

/**
 * Returns the value of a flag's environment variable. An empty variable counts as absent. A service link counts as
 * absent too: for a Service named probewright, the kubelet sets PROBEWRIGHT_PORT to an address.
 */
function valueFromEnvironment(flag: string, environment: Environment): string | undefined {
  const value = environment[variableOf(flag)];
  return value === undefined || value === '' || SERVICE_LINK.test(value) ? undefined : value;
}
