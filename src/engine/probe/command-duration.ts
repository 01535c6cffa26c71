import { CURL_VALUED, optionsOf, parsedScript, programsOf, wordSet, type ExecCommand } from './exec-invocation.ts';
import { programWords, readShellScript, type ShellScript, type ShellWord } from './shell-script.ts';

/** How long a command takes by its own words, and the words that say so: `sleep 5`, `--max-time 10`. */
export interface Duration {
  readonly seconds: number;
  readonly words: string;
}

/** What a command says about its time. */
export interface CommandDuration {
  /** Takes that long whenever it succeeds. Several sleeps are added. */
  readonly least: Duration | undefined;
  /** The longest limit that the command sets itself, in a branch or not: a part of it may take that long. */
  readonly limit: Duration | undefined;
}

/** Options of clients that limit a request: the letters that take a value, and the names. */
const CLIENTS: Readonly<Record<string, readonly [valued: string, limit: RegExp]>> = {
  curl: [CURL_VALUED, /^(?:-m|--max-time)$/],
  wget: ['OoaTtPiUYwQADIXlB', /^(?:-T|--timeout)$/],
};

/** A script without these words sets no time. */
const TIMED = /sleep|timeout|curl|wget/;

/** Reads the times in the words of a command, or of its script. Variables and other programs are unknown. */
export function durationOf(command: ExecCommand): CommandDuration {
  const { argv, shell } = command;
  const own = ofWords(argv);
  if (shell === undefined || !TIMED.test(command.script ?? '')) return own;
  const script = parsedScript(command);
  if (script === undefined) return own;
  const outer = own.limit?.seconds ?? Infinity;
  const within = (inner: Duration | undefined): Duration | undefined =>
    inner !== undefined && outer < inner.seconds ? own.limit : inner;
  return { least: within(sum(sleepsOf(script))), limit: within(longest(limitsIn(script))) ?? own.limit };
}

/** The time of one program: `timeout` limits the program behind it. */
function ofWords(argv: readonly string[]): CommandDuration {
  const programs = programsOf(argv) ?? [];
  const limits = programs.flatMap(({ at, program }, index): Duration[] => {
    const next = programs[index + 1]?.at;
    // The seconds stand right in front of the program.
    if (next !== undefined) return program === 'timeout' ? lasting(argv[next - 1], 'timeout ') : [];
    const client = Object.hasOwn(CLIENTS, program) ? CLIENTS[program] : undefined;
    return client === undefined ? [] : requestLimits(argv.slice(at + 1), ...client).slice(-1);
  });
  const limit = limits.toSorted((a, b) => a.seconds - b.seconds)[0];
  const last = programs.at(-1);
  if (last?.program !== 'sleep') return { least: undefined, limit };
  const least = sum(argv.slice(last.at + 1).flatMap((word) => lasting(word, 'sleep ')));
  return { least: least && limit && limit.seconds < least.seconds ? limit : least, limit: undefined };
}

function requestLimits(words: readonly string[], valued: string, limit: RegExp): Duration[] {
  return optionsOf(words, valued).flatMap(({ name = '', value }) =>
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

/** The sleeps that a script always runs before it succeeds: none in a branch, a loop or a function, or behind `||`. */
function sleepsOf({ commands }: ShellScript): Duration[] {
  const sleeps: Duration[] = [];
  /** True for each open part that may not run. */
  const open: boolean[] = [];
  let behind = '';
  for (const { words, operator } of commands) {
    const { keywords, texts } = partsOf(words);
    const [first = '', status = ''] = texts;
    // What is behind the pattern of a case, a function or an end without a failure is unknown.
    if (first === 'case' || first === 'exec' || (texts.length > 0 && operator === '(')) break;
    if (/^(?:exit|return)$/.test(first) && !/^[1-9]/.test(status)) break;
    for (const keyword of keywords)
      if (keyword === '{') open.push(behind === '||');
      else if (/^(?:if|while|until)$/.test(keyword)) open.push(true);
    if (/^(?:for|select)$/.test(first)) open.push(true);
    if (/^(?:fi|done|\})$/.test(first)) open.pop();
    const { least } = ofWords(texts);
    if (least !== undefined && !open.includes(true) && behind !== '||' && operator !== '&') sleeps.push(least);
    if (operator === '(') open.push(behind === '||');
    else if (operator === ')') open.pop();
    behind = operator;
  }
  return sleeps;
}

/** The limits in all parts of a script, also in branches and in `$(...)`. */
function limitsIn({ commands, substitutions }: ShellScript): Duration[] {
  const inside = substitutions.flatMap((text) => readShellScript(text)?.commands ?? []);
  return [...commands, ...inside].flatMap(({ words, operator }) => {
    const { limit } = ofWords(partsOf(words).texts);
    return limit === undefined || operator === '&' ? [] : limit;
  });
}

/** Words of a shell in front of a command. */
const KEYWORDS = wordSet('if then elif else while until do ! { time command');

/** The words of a command without assignments, and the keywords in front of it. */
function partsOf(words: readonly ShellWord[]): Record<'keywords' | 'texts', readonly string[]> {
  const at = words.findIndex(({ text, isQuoted }) => isQuoted || !KEYWORDS.has(text));
  const start = at < 0 ? words.length : at;
  return {
    keywords: words.slice(0, start).map(({ text }) => text),
    texts: programWords(words.slice(start)).map(({ text }) => text),
  };
}

function sum(durations: readonly Duration[]): Duration | undefined {
  const [first, ...others] = durations;
  if (first === undefined) return undefined;
  return others.reduce((all, { seconds, words }) => {
    return { seconds: all.seconds + seconds, words: `${all.words}, ${words}` };
  }, first);
}

function longest(durations: readonly Duration[]): Duration | undefined {
  return durations.toSorted((a, b) => b.seconds - a.seconds)[0];
}
