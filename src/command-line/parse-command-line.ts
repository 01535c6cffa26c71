import { didYouMean } from '../text/suggestion.ts';
import { quote } from '../text/quote.ts';
import { valueFromEnvironment, variableOf } from './environment.ts';
import { choice } from './value-types.ts';
import type { CommandDefinition, CommandLine } from './command-definition.ts';
import type { Environment } from './environment.ts';
import type { Flag, Flags, FlagValues } from './flag.ts';

/** The values of a command line, or every problem with it. */
export type CommandLineParse<F extends Flags> = CommandLine<F> | { readonly problems: readonly string[] };

/**
 * Reads the arguments after a command's name: `--flag value`, `--flag=value`, `--switch` and positionals. A value that
 * begins with two dashes needs the form `--flag=value`. All arguments after `--` are positionals. A flag overrides its
 * environment variable.
 */
export function parseCommandLine<F extends Flags>(
  definition: CommandDefinition<F>,
  args: readonly string[],
  environment: Environment,
): CommandLineParse<F> {
  const problems: string[] = [];
  const { texts, positionals } = splitArguments(args, definition.flags, problems);
  checkPositionals(definition, positionals, problems);
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
  const allProblems = [...problems, ...(definition.conflicts?.(flags) ?? [])];
  return allProblems.length > 0 ? { problems: allProblems } : { flags, positionals };
}

/** The texts of each flag by name, and the arguments that are not flags. */
interface SplitArguments {
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

function splitArguments(args: readonly string[], flags: Flags, problems: string[]): SplitArguments {
  const texts = new Map<string, string[]>();
  const positionals: string[] = [];
  const add = (name: string, text: string): void => {
    const own = texts.get(name);
    if (own === undefined) texts.set(name, [text]);
    else own.push(text);
  };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const next = args[index + 1];
    if (arg === '--') return { texts, positionals: positionals.concat(args.slice(index + 1)) };
    if (isPositional(arg)) {
      positionals.push(arg);
      continue;
    }
    const equals = arg.indexOf('=');
    const written = equals < 0 ? arg : arg.slice(0, equals);
    const inline = equals < 0 ? undefined : arg.slice(equals + 1);
    const name = written.replace(/^--?/, '');
    const flag = written.startsWith('--') && Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      problems.push(`${written}: unknown flag${didYouMean(name, Object.keys(flags))}`);
      // The user meant this positional as the value of the unknown flag, so skip the positional.
      if (inline === undefined && next !== undefined && isPositional(next)) index += 1;
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
  return { texts, positionals };
}

/** A single dash means standard input, so it is a positional. */
function isPositional(arg: string): boolean {
  return !arg.startsWith('-') || arg === '-';
}

function checkPositionals(
  { name, positionals: expected }: CommandDefinition,
  positionals: readonly string[],
  problems: string[],
): void {
  if (expected === undefined) {
    for (const positional of positionals) problems.push(`${positional}: ${name} takes no arguments, only flags`);
    return;
  }
  if (positionals.length < expected.minimum) problems.push(`${expected.name}: ${expected.missing}`);
  for (const extra of positionals.slice(expected.maximum))
    problems.push(`${extra}: ${name} takes at most ${expected.maximum} argument(s)`);
  if (typeof expected.suggestions === 'string') return;
  const word = choice(expected.suggestions);
  for (const positional of positionals.slice(0, expected.maximum)) {
    const reading = word.read(positional);
    if ('problem' in reading) problems.push(`${expected.name}: ${reading.problem}`);
  }
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
