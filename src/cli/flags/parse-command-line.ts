import { quote } from '../../base/text/cut.ts';
import { didYouMean, suggestion } from '../../base/text/suggestion.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { notAmong } from './value-types.ts';
import type { CommandDefinition, ParsedCommandLine, Flag, Flags, FlagValues } from './flag.ts';

type CommandLineParse<F extends Flags> =
  | (ParsedCommandLine<F> & { readonly kind: 'command' })
  | { readonly kind: 'problems'; readonly problems: readonly string[] }
  | { readonly kind: 'help' };

const HELP_FLAGS = ['--help', '-h'];

/**
 * Reads the arguments after a command's name: `--flag value`, `--flag=value`, `--switch` and positionals. A flag with a
 * letter may also be written `-f value`, `-f=value` and `-fvalue`. A value that begins with two dashes needs the form
 * `--flag=value`. All arguments after `--` are positionals. A flag overrides its environment variable. `--help` and
 * `-h` count in the place of a flag only, and whatever else is wrong.
 *
 * `parseArgs` of Node takes the next flag as the value of a flag without a value, and splits `-Ax` and `-n=x` into
 * letters. Its tokens would have to be put together again.
 *
 * @param defaults the texts of flags that are not given. A flag that may be given several times adds to its texts
 */
export function parseCommandLine<F extends Flags>(
  definition: CommandDefinition<F>,
  args: readonly string[],
  environment: Environment,
  defaults: ReadonlyMap<string, readonly string[]> = new Map(),
): CommandLineParse<F> {
  const split = splitArguments(args, definition.flags);
  if (split === 'help') return { kind: 'help' };
  const { texts, positionals, mayLack, meantFlags } = split;
  const problems = [...split.problems];
  const replaces = definition.positionals?.replacedBy?.some((name) => texts.has(name)) ?? false;
  checkPositionals(definition, positionals, mayLack || replaces, problems);
  const values = Object.entries(definition.flags).map(([name, flag]) => {
    const variable = definition.readsEnvironment === true ? valueFromEnvironment(name, environment) : undefined;
    const isVariable = !texts.has(name) && variable !== undefined;
    const own = isVariable ? [variable] : (texts.get(name) ?? []);
    const given = own.length === 0 || flag.isRepeatable ? [...(defaults.get(name) ?? []), ...own] : own;
    return [name, readFlag(flag, given, isVariable ? variableOf(name) : `--${name}`, problems)] as const;
  });
  const flags = Object.fromEntries(values) as FlagValues<F>;
  for (const conflict of definition.conflicts?.(flags) ?? [])
    // A misspelt flag is not missing too.
    if (conflict !== false && !meantFlags.has(conflict.split(':', 1)[0] ?? '')) problems.push(conflict);
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'command', flags, positionals };
}

/** What people mean by a letter, as kubectl and its like have it. */
const LETTERS: Readonly<Record<string, string>> = { o: 'output', p: 'policies', v: 'verbose', w: 'write' };

function splitArguments(args: readonly string[], flags: Flags) {
  const given: [name: string, text: string][] = [];
  const positionals: string[] = [];
  const problems: string[] = [];
  /** The flags that a person probably meant with unknown flags: `--port`. */
  const meantFlags = new Set<string>();
  /** True when an argument after an unknown flag is either a value or a positional. */
  let mayLack = false;
  let index = 0;
  for (; index < args.length && args[index] !== '--'; index += 1) {
    const arg = args[index] ?? '';
    const next = args[index + 1];
    if (HELP_FLAGS.includes(arg)) return 'help';
    if (isPositional(arg)) {
      positionals.push(arg);
      continue;
    }
    const { written, name, inline } = readArgument(arg, flags);
    const flag = written.startsWith('--') && Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) {
      const known = Object.keys(flags);
      const meant = name.length > 1 ? suggestion(name, known) : known.find((one) => one === LETTERS[name]);
      const hint =
        meant === `no-${name}` ? `that is the default, and --${meant} turns it off` : `did you mean --${meant ?? ''}?`;
      problems.push(`${written}: unknown flag${meant === undefined ? '' : `; ${hint}`}`);
      if (meant !== undefined) meantFlags.add(`--${meant}`);
      // A person who meant a flag with a value meant the next argument as the value. One mistake gets one problem.
      const isSwitch = meant !== undefined && flags[meant]?.type === undefined;
      if (inline === undefined && next !== undefined && isPositional(next) && !isSwitch) {
        index += 1;
        mayLack ||= meant === undefined;
      }
    } else if (flag.type === undefined) {
      if (inline === undefined) given.push([name, '']);
      else problems.push(`--${name}: takes no value, not ${quote(inline)}`);
    } else if (inline !== undefined) given.push([name, inline]);
    else if (next === undefined || next.startsWith('--')) problems.push(`--${name}: needs a value`);
    else {
      given.push([name, next]);
      index += 1;
    }
  }
  const byName = Map.groupBy(given, ([name]) => name);
  const texts = new Map(Array.from(byName, ([name, own]) => [name, own.map(([, text]) => text)]));
  return { texts, positionals: positionals.concat(args.slice(index + 1)), problems, mayLack, meantFlags };
}

/** Splits `--flag=value`, and reads `-f`, `-f=value` and `-fvalue` as the flag with the letter. */
function readArgument(arg: string, flags: Flags): { written: string; name: string; inline: string | undefined } {
  const letter = arg.startsWith('--') ? undefined : arg[1];
  const found = Object.entries(flags).find(([, { short }]) => short !== undefined && short === letter);
  const rest = arg.slice(2);
  // `-Ax` is no form of a switch.
  if (found !== undefined && (found[1].type !== undefined || rest === '' || rest.startsWith('=')))
    return { written: `--${found[0]}`, name: found[0], inline: rest === '' ? undefined : rest.replace(/^=/, '') };
  const [, written = arg, inline] = /^([^=]*)=(.*)$/s.exec(arg) ?? [];
  return { written, name: written.replace(/^--?/, ''), inline };
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
  const words = expected.suggestions;
  if (typeof words === 'string') return;
  for (const word of positionals.slice(0, expected.maximum)) {
    if (words.includes(word)) continue;
    const unknown = `unknown ${expected.name.toLowerCase()} ${quote(word)}${didYouMean(word, words)}`;
    problems.push(`${expected.name}: ${words.length > MOST_LISTED_WORDS ? unknown : notAmong(word, words)}`);
  }
}

/** A message with more words than this is not read to its end. */
const MOST_LISTED_WORDS = 10;

/**
 * Reads the value of a flag. A bad value is reported under the name that the user wrote, and the default replaces the
 * value.
 */
function readFlag(flag: Flag<unknown>, texts: readonly string[], origin: string, problems: string[]): unknown {
  try {
    return flag.read(texts);
  } catch (error) {
    problems.push(`${origin}: ${messageOf(error)}`);
    return flag.read([]);
  }
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
