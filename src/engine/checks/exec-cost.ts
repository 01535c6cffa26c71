import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import {
  CURL_VALUED,
  optionsOf,
  parsedScript,
  programName,
  programsOf,
  wordSet,
  type ExecCommand,
} from '../probe/exec-invocation.ts';
import {
  EXEC_PERIOD_SECONDS,
  PATIENT_TIMEOUT_SECONDS,
  heavyClientOf,
  leastExecPeriodSeconds,
} from './lib/heavy-client.ts';
import { adviceIfFast, MOST_KILL_SECONDS, roundPeriodFrom, roundPeriodUpTo } from './lib/round-numbers.ts';
import { alwaysRuns, programOf } from './cluster-probe.ts';
import { readShellScript, type ShellCommand, type ShellScript } from '../probe/shell-script.ts';
import { containerPhrase, defineCheck, located, quotedValue, type Advice, type Finding } from './check.ts';
import { numberOf, type CheckedWorkload } from './checked-workload.ts';
import { isTimed, mayAct, type TimedProbe } from '../workload/pod.ts';

/**
 * P >= minimumPeriodSeconds, and P >= 30 for a heavy client, because each probe starts a process in the container
 * (Kubernetes documentation, "Caution" under exec probes). T > 1: since 1.20 a timeout is a failure (kubernetes#82440).
 */
export const execCost = defineCheck({
  id: 'exec-cost',
  summary: 'A probe starts processes often, or gives them a second.',
  action: 'Warn',
  handlers: ['exec'],
  readsCommand: true,
  judgesProbeAlone: true,
  parameters: {
    minimumPeriodSeconds: {
      type: 'integer',
      default: EXEC_PERIOD_SECONDS,
      text: `Seconds that an exec probe must leave between two processes, at least. Default ${EXEC_PERIOD_SECONDS}.`,
    },
  },
  eachProbe: (probe, { minimumPeriodSeconds }, workload) =>
    isTimed(probe)
      ? [tooOften, tooImpatient].flatMap((rule) => rule(probe, minimumPeriodSeconds, workload) ?? [])
      : undefined,
});

function tooOften(probe: TimedProbe, minimum: number, workload: CheckedWorkload): Finding | undefined {
  const period = probe.timing.periodSeconds;
  const least = leastExecPeriodSeconds(probe, minimum);
  if (period >= least) return undefined;
  const heavy = heavyClientOf(probe);
  const perMinute = 60 / period;
  const replicas = replicasOf(workload);
  const inAll = replicas > 1 ? `, ${rounded(perMinute * replicas)} for its ${replicas} replicas,` : '';
  const what = heavy === undefined ? 'processes' : `processes of the heavy client ${heavy}`;
  const periodSeconds = roundPeriodFrom(least);
  return {
    ...located(probe, 'periodSeconds'),
    message:
      `${containerPhrase(probe.container)} starts ${rounded(perMinute)} ${what} a minute on its node${inAll} ` +
      `for the exec ${probe.kind}`,
    ...((periodSeconds && adviceIfFast(probe, { periodSeconds }, ' or more')) ?? OTHER_HANDLER),
  };
}

/** The advice if the probe would otherwise need too long to kill, or to stop the traffic. */
const OTHER_HANDLER: Advice = { remedy: 'ask with httpGet, tcpSocket or grpc, or with a smaller program' };

/** Too short for the times in the command's own words, or the default, which any command may need to start. */
function tooImpatient(probe: TimedProbe, minimum: number): Finding | undefined {
  const { container, kind, command, timing } = probe;
  const { least, limit } = command.once(durationOf);
  const seconds = (least?.seconds ?? 0) + (limit?.seconds ?? 0);
  const T = timing.timeoutSeconds;
  const isOver = seconds >= T;
  if (!isOver && T !== DEFAULT_TIMING.timeoutSeconds) return undefined;
  const isHopeless = least !== undefined && least.seconds >= T;
  const takes = `${isHopeless ? `needs ${least.seconds}` : `may take ${seconds}`} s`;
  const words = quotedValue([least, isHopeless ? undefined : limit].flatMap((one) => one?.words ?? []).join(', '));
  const advice = longerTimeout(probe, minimum, seconds);
  // Nobody knows how often a command with side effects may run: a consumer writes anew the file that it removes.
  const isSeldom = advice === undefined || timing.periodSeconds > MOST_KILL_SECONDS;
  const isPeriodOfAct = isSeldom && !isOver && mayAct(probe);
  const outcome = isHopeless ? 'every probe fails' : 'the kubelet ends it before it can report its own error';
  return {
    ...located(probe, 'timeoutSeconds'),
    message:
      `${containerPhrase(container)} gives the command of its exec ${kind} ${T} s` +
      (isOver
        ? `, and it ${takes} (${words}): ${outcome}`
        : ' to start and end, also on a busy node, and a timeout is a failure'),
    ...(advice ?? shorterCommand(T, isHopeless, isOver)),
    ...(isPeriodOfAct ? { level: 'Off' } : !isOver && command.once(onlyLooks) && { level: 'Audit' }),
  };
}

/** Advises a timeout that is longer than the command, and a period that is not shorter than the timeout. */
function longerTimeout(probe: TimedProbe, minimum: number, seconds: number): Advice | undefined {
  const P = probe.timing.periodSeconds;
  // A second more than the command needs is for its start.
  const enough = roundPeriodFrom(Math.max(seconds + 1, PATIENT_TIMEOUT_SECONDS));
  // For a small program, a timeout within the period is enough, and one above the default.
  const within = seconds === 0 && P >= 2 ? [Math.min(roundPeriodUpTo(P) ?? P, PATIENT_TIMEOUT_SECONDS), 2] : [];
  for (const timeoutSeconds of within.length > 0 ? within : [enough]) {
    if (timeoutSeconds === undefined) return undefined;
    // A longer period must also be long enough for the rule about periods, so that both rules say the same.
    const least = Math.max(timeoutSeconds, leastExecPeriodSeconds(probe, minimum));
    const periodSeconds = P >= timeoutSeconds ? P : roundPeriodFrom(least);
    const advice = periodSeconds && adviceIfFast(probe, { timeoutSeconds, periodSeconds });
    if (advice) return advice;
  }
  return undefined;
}

function shorterCommand(T: number, isHopeless: boolean, isOver: boolean): Advice {
  if (isHopeless) return { remedy: 'remove the sleep from the command' };
  return isOver && T > 1 ? { remedy: `let the command give up within less than ${T} s` } : OTHER_HANDLER;
}

/** How many Pods may run at the same time; 1 for a kind without such a number. */
function replicasOf(workload: CheckedWorkload): number {
  return (numberOf(workload, 'replicas') ?? numberOf(workload, 'parallelism')) || 1;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** How long a command takes by its own words, and the words that say so: `sleep 5`, `--max-time 10`. */
interface Duration {
  readonly seconds: number;
  readonly words: string;
}

/** What a command says about its time. */
interface CommandDuration {
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
  const sleeps = script.commands.flatMap((one) => (ofWords(programOf(one)).least?.seconds ? [one] : []));
  const needed = sleeps.slice(0, MOST_SLEEPS).filter((one) => alwaysRuns(script, (other) => other === one));
  const least = sum(needed.flatMap((one) => ofWords(programOf(one)).least ?? []));
  return { least: within(least), limit: within(longest(limitsIn(script))) ?? own.limit };
}

/** More sleeps of a script are not counted: each is looked for on all paths. */
const MOST_SLEEPS = 20;

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

/** The limits in all parts of a script. */
function limitsIn(script: ShellScript): Duration[] {
  const awaited = allCommandsIn(script).filter(({ operator }) => operator !== '&');
  return awaited.flatMap((command) => ofWords(programOf(command)).limit ?? []);
}

/** The commands of a script, also in branches and in `$(...)`. */
function allCommandsIn({ commands, substitutions }: ShellScript): readonly ShellCommand[] {
  return [...commands, ...substitutions.flatMap((text) => readShellScript(text)?.commands ?? [])];
}

/** Programs that only look at a file or at the list of processes, and end at once. */
const LOOKING = wordSet('cat ls stat test [ [[ pgrep pidof ps grep head tail wc cut echo printf exit fi');

/** True for a command that asks no server: only a node without time makes it late. */
const onlyLooks = (command: ExecCommand): boolean => {
  const script = command.script === undefined ? undefined : parsedScript(command);
  const programs = script === undefined ? [command.argv] : allCommandsIn(script).map(programOf);
  return command.isWhole && programs.every(([first]) => first === undefined || LOOKING.has(programName(first)));
};

function sum(durations: readonly Duration[]): Duration | undefined {
  if (durations.length === 0) return undefined;
  const seconds = durations.reduce((all, one) => all + one.seconds, 0);
  return { seconds, words: durations.map(({ words }) => words).join(', ') };
}

function longest(durations: readonly Duration[]): Duration | undefined {
  return durations.toSorted((a, b) => b.seconds - a.seconds)[0];
}
