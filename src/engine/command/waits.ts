import { commandsOf } from './commands.ts';
import { labelledPaths } from './meaning.ts';
import { knownProgram } from './programs.ts';
import { optionsOf, programsOf, type ExecCommand } from './words.ts';
import type { SimpleCommand } from './script.ts';

/** How long a command takes by its own words, and the words that say so: `sleep 5`, `--max-time 10`. */
export interface Duration {
  readonly seconds: number;
  readonly words: string;
}

/** What a command says about its time. */
export interface Waits {
  /** Takes that long whenever it succeeds. Several sleeps are added. */
  readonly least: Duration | undefined;
  /** The longest limit that the command sets itself, in a branch or not: a part of it may take that long. */
  readonly limit: Duration | undefined;
}

/** Reads the times in the words of a command, or of its script. Variables and other programs are unknown. */
export const waitsOf = (command: ExecCommand): Waits => command.once(findWaits);

function findWaits(command: ExecCommand): Waits {
  const own = ofWords(command.argv);
  if (command.script === undefined) return own;
  const outer = own.limit?.seconds ?? Infinity;
  const within = (inner: Duration | undefined): Duration | undefined =>
    inner !== undefined && outer < inner.seconds ? own.limit : inner;
  const awaited = commandsOf(command).commands.filter(({ isBackground }) => !isBackground);
  const each = awaited.map(({ words }) => ofWords(words));
  const sleeps = each.some(({ least }) => least !== undefined) ? neededSleeps(command) : [];
  return {
    least: within(sum(sleeps)),
    limit: within(longest(each.flatMap(({ limit }) => limit ?? []))) ?? own.limit,
  };
}

/** The sleeps on every way that succeeds. */
function neededSleeps(command: ExecCommand): Duration[] {
  const sleeps = new Map<SimpleCommand, { readonly label: string; readonly least: Duration }>();
  const paths = labelledPaths(command, (words, node) => {
    const { least } = ofWords(words);
    if (least === undefined) return [];
    const known = sleeps.get(node) ?? { label: String(sleeps.size), least };
    sleeps.set(node, known);
    return [known.label];
  });
  return [...sleeps.values()].flatMap(({ label, least }) => (paths?.alwaysBeforeSuccess.has(label) ? [least] : []));
}

/** The time of one program: `timeout` limits the program behind it. */
function ofWords(argv: readonly string[]): Waits {
  const programs = programsOf(argv) ?? [];
  const limits = programs.flatMap(({ at, program }, index): Duration[] => {
    const next = programs[index + 1]?.at;
    // The seconds stand right in front of the program.
    if (next !== undefined) return program === 'timeout' ? lasting(argv[next - 1], 'timeout ') : [];
    const { letters = '', limit } = knownProgram(program)?.client ?? {};
    return limit === undefined ? [] : requestLimits(argv.slice(at + 1), letters, limit).slice(-1);
  });
  const limit = limits.toSorted((a, b) => a.seconds - b.seconds)[0];
  const last = programs.at(-1);
  if (last?.program !== 'sleep') return { least: undefined, limit };
  const least = sum(argv.slice(last.at + 1).flatMap((word) => lasting(word, 'sleep ')));
  return { least: least && limit && limit.seconds < least.seconds ? limit : least, limit: undefined };
}

function requestLimits(words: readonly string[], letters: string, limit: RegExp): Duration[] {
  return optionsOf(words, letters).flatMap(({ name = '', value }) =>
    limit.test(name) ? lasting(value, `${name} `) : [],
  );
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `5`, `0.5`, `5s`, `1m`. A limit of 0 is none, and a sleep of 0 takes no time. */
function lasting(text = '', name = ''): Duration[] {
  const [, number = 0, unit = 's'] = /^(\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})([smhd])?$/.exec(text) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 1);
  return seconds > 0 ? [{ seconds, words: name + text }] : [];
}

function sum(durations: readonly Duration[]): Duration | undefined {
  if (durations.length === 0) return undefined;
  const seconds = durations.reduce((all, one) => all + one.seconds, 0);
  return { seconds, words: durations.map(({ words }) => words).join(', ') };
}

function longest(durations: readonly Duration[]): Duration | undefined {
  return durations.toSorted((a, b) => b.seconds - a.seconds)[0];
}
