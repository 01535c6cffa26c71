import { suggestion, didYouMean } from '../../base/text/suggestion.ts';
import { quote } from '../../base/text/quote.ts';
import { valueFromEnvironment, variableOf } from './environment.ts';
import { choice } from './value-types.ts';
import type { CommandDefinition, CommandLine } from './command-definition.ts';
import type { Environment } from './environment.ts';
import type { Flag, Flags, FlagValues } from './flag.ts';

/** The values of a command line, every problem with it, or the wish for help. */
export type CommandLineParse<F extends Flags> =
  CommandLine<F> | { readonly problems: readonly string[] } | { readonly wantsHelp: true };

/** The flags that every command has. */
const HELP_FLAGS = ['--help', '-h'];

/**
 * Reads the arguments after a command's name: `--flag value`, `--flag=value`, `--switch` and positionals. A flag with a
 * letter may also be written `-f value`, `-f=value` and `-fvalue`. A value that begins with two dashes needs the form
 * `--flag=value`. All arguments after `--` are positionals. A flag overrides its
 * environment variable. `--help` and `-h` count in the place of a flag only, and whatever else is wrong.
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
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(definition.flags)) {
    const given = texts.get(name);
    const variable = definition.readsEnvironment ? valueFromEnvironment(name, environment) : undefined;
    values[name] =
      given === undefined && variable !== undefined
        ? readFlag(flag, [variable], variableOf(name), problems)
        : readFlag(flag, given ?? [], `--${name}`, problems);
  }
  const flags = values as FlagValues<F>;
  const conflicts = definition.conflicts?.(flags) ?? [];
  // A misspelt flag is not missing too.
  const isMeant = (conflict: string): boolean => meantFlags.has(conflict.split(':', 1)[0] ?? '');
  const allProblems = [...problems, ...conflicts.filter((conflict) => !isMeant(conflict))];
  return allProblems.length > 0 ? { problems: allProblems } : { flags, positionals };
}

/** The texts of each flag by name, and the arguments that are not flags. */
interface SplitArguments {
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
  readonly wantsHelp: boolean;
  /** True when an argument after an unknown flag is either a value or a positional. */
  readonly mayLack: boolean;
  /** The flags that a person probably meant with unknown flags: `--port`. */
  readonly meantFlags: ReadonlySet<string>;
}

function splitArguments(args: readonly string[], flags: Flags, problems: string[]): SplitArguments {
  const texts = new Map<string, string[]>();
  const positionals: string[] = [];
  let mayLack = false;
  const meantFlags = new Set<string>();
  const add = (name: string, text: string): void => {
    const own = texts.get(name);
    if (own === undefined) texts.set(name, [text]);
    else own.push(text);
  };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const next = args[index + 1];
    if (arg === '--')
      return {
        texts,
        positionals: positionals.concat(args.slice(index + 1)),
        wantsHelp: false,
        mayLack,
        meantFlags,
      };
    if (HELP_FLAGS.includes(arg)) return { texts, positionals, wantsHelp: true, mayLack, meantFlags };
    if (isPositional(arg)) {
      positionals.push(arg);
      continue;
    }
    const { written, name, inline } = longArgument(arg, flags) ?? readArgument(arg);
    const flag = written.startsWith('--') && Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      const meant = suggestion(name, Object.keys(flags));
      const hint = meant === undefined ? '' : `; did you mean --${meant}?`;
      problems.push(`${written}: unknown flag${hint}`);
      if (meant !== undefined) meantFlags.add(`--${meant}`);
      // A person who meant a flag with a value meant the next argument as the value. One mistake gets one problem.
      const isSwitch = meant !== undefined && flags[meant]?.type === undefined;
      if (inline === undefined && next !== undefined && isPositional(next) && !isSwitch) {
        index += 1;
        mayLack ||= meant === undefined;
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
  return { texts, positionals, wantsHelp: false, mayLack, meantFlags };
}

/** An argument that is or may be a flag. */
interface FlagArgument {
  readonly written: string;
  readonly name: string;
  readonly inline: string | undefined;
}

/** Reads `-f`, `-f=value` and `-fvalue` as the flag with the letter. Undefined for any other argument. */
function longArgument(arg: string, flags: Flags): FlagArgument | undefined {
  const letter = arg.startsWith('--') ? undefined : arg[1];
  const found = Object.entries(flags).find(([, { short }]) => short !== undefined && short === letter);
  if (found === undefined) return undefined;
  const [name, { type }] = found;
  const rest = arg.slice(2);
  // `-Ax` is no form of a switch.
  if (type === undefined && rest !== '' && !rest.startsWith('=')) return undefined;
  return { written: `--${name}`, name, inline: rest === '' ? undefined : rest.replace(/^=/, '') };
}

/** Splits `--flag=value`. */
function readArgument(arg: string): FlagArgument {
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
