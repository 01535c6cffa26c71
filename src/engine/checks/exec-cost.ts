import { equalJson } from '../../base/json/json-value.ts';
import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { heavyProgramOf, isCheap } from '../command/starts.ts';
import { waitsOf } from '../command/waits.ts';
import { EXEC_PERIOD_SECONDS, leastExecPeriodSeconds } from './lib/exec-period.ts';
import { adviceIfFast } from './lib/round-numbers.ts';
import { withStartKept } from './lib/startup-probe.ts';
import { MOST_KILL_SECONDS, PATIENT_TIMEOUT_SECONDS, roundPeriodFrom } from '../time/bounds.ts';
import { containerPhrase, defineCheck, located, quotedValue, type Advice, type Finding } from './check.ts';
import { numberOf, type CheckedWorkload } from './checked-workload.ts';
import { isTimed, mayAct, timedProbe, type TimedProbe } from '../workload/pod.ts';

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
      ? [tooOften, tooImpatient].flatMap((rule) => ofBoth(rule, probe, minimumPeriodSeconds, workload) ?? [])
      : undefined,
});

/** Judges a probe with a minimum period. `names`: the probe, or both, in words. */
type Rule = (probe: TimedProbe, minimum: number, workload: CheckedWorkload, names: string) => Finding | undefined;

/** One finding where liveness and readiness run one command at the same times, and need the same. */
function ofBoth(rule: Rule, probe: TimedProbe, minimum: number, workload: CheckedWorkload): Finding | undefined {
  const { kind, container, command, timing } = probe;
  const isTwin = (other: TimedProbe): boolean =>
    other.kind !== kind && equalJson(other.command.argv, command.argv) && equalJson(other.timing, timing);
  const found = rule(probe, minimum, workload, kind);
  const twin =
    kind === 'startupProbe'
      ? undefined
      : TWINS.map((one) => timedProbe(container, one)).find((other) => other && isTwin(other));
  const second = twin && rule(twin, minimum, workload, twin.kind);
  if (found === undefined || second?.remedy !== found.remedy) return found;
  if (kind === 'readinessProbe') return undefined;
  const both = rule(probe, minimum, workload, 'livenessProbe and readinessProbe');
  return both && { ...both, ...(both.edits && { edits: [...both.edits, ...(second?.edits ?? [])] }) };
}

const TWINS = ['livenessProbe', 'readinessProbe'] as const;

function tooOften(probe: TimedProbe, minimum: number, workload: CheckedWorkload, names: string): Finding | undefined {
  // A startup probe runs for a moment only.
  if (probe.kind === 'startupProbe') return undefined;
  const period = probe.timing.periodSeconds;
  const least = leastExecPeriodSeconds(probe, minimum);
  if (period >= least) return undefined;
  const heavy = heavyProgramOf(probe.command);
  const perMinute = 60 / period;
  const replicas = replicasOf(workload);
  const inAll = replicas > 1 ? `, ${rounded(perMinute * replicas)} for its ${replicas} replicas,` : '';
  const what = heavy === undefined ? 'processes' : `processes of the heavy client ${heavy}`;
  // A period below the timeout is the finding of timeout-over-period, with the same number.
  const periodSeconds = roundPeriodFrom(Math.max(least, probe.timing.timeoutSeconds));
  return {
    ...located(probe, 'periodSeconds'),
    message:
      `${containerPhrase(probe.container)} starts ${rounded(perMinute)} ${what} a minute on its node${inAll} ` +
      `for the exec ${names}`,
    ...(isCheap(probe.command) && { level: 'Audit' as const }),
    ...withStartKept(
      probe,
      workload,
      (periodSeconds && adviceIfFast(probe, { periodSeconds }, ' or more')) || OTHER_HANDLER,
    ),
  };
}

/** The advice if the probe would otherwise need too long to kill, or to stop the traffic. */
const OTHER_HANDLER: Advice = { remedy: 'ask with httpGet, tcpSocket or grpc, or with a smaller program' };

/** Too short for the times in the command's own words, or the default, which any command may need to start. */
function tooImpatient(
  probe: TimedProbe,
  minimum: number,
  workload: CheckedWorkload,
  names: string,
): Finding | undefined {
  const { container, kind, command, timing } = probe;
  const { least, limit } = waitsOf(command);
  const seconds = (least?.seconds ?? 0) + (limit?.seconds ?? 0);
  const T = timing.timeoutSeconds;
  const isOver = seconds >= T;
  if (!isOver && T !== DEFAULT_TIMING.timeoutSeconds) return undefined;
  const isHopeless = least !== undefined && least.seconds >= T;
  if (kind === 'startupProbe' && !isHopeless) return undefined;
  const takes = `${isHopeless ? `needs ${least.seconds}` : `may take ${seconds}`} s`;
  const words = quotedValue([least, isHopeless ? undefined : limit].flatMap((one) => one?.words ?? []).join(', '));
  const advice = withStartKept(probe, workload, longerTimeout(probe, minimum, seconds));
  // Nobody knows how often a command with side effects may run: a consumer writes anew the file that it removes.
  const isSeldom = advice === undefined || timing.periodSeconds > MOST_KILL_SECONDS;
  const isPeriodOfAct = isSeldom && !isOver && mayAct(probe);
  // A client that gives up as late as the kubelet mostly tells its error in time.
  const isNote = isOver ? !isHopeless && seconds === T : isCheap(command);
  const outcome = isHopeless ? 'every probe fails' : 'the kubelet ends it before it can report its own error';
  return {
    ...located(probe, 'timeoutSeconds'),
    message:
      `${containerPhrase(container)} gives the command of its exec ${names} ${T} s` +
      (isOver
        ? `, and it ${takes} (${words}): ${outcome}`
        : ' to start and end, also on a busy node, and a timeout is a failure'),
    ...(advice ?? shorterCommand(T, isHopeless, isOver)),
    ...(isPeriodOfAct ? { level: 'Off' } : isNote && { level: 'Audit' }),
  };
}

/** Advises a timeout that is longer than the command, and a period that is not shorter than the timeout. */
function longerTimeout(probe: TimedProbe, minimum: number, seconds: number): Advice | undefined {
  const P = probe.timing.periodSeconds;
  // A second more than the command needs is for its start.
  const enough = roundPeriodFrom(Math.max(seconds + 1, PATIENT_TIMEOUT_SECONDS));
  // For a small program, a timeout above the default is enough. Two failures then take a tenth longer at most.
  const most = Math.min(P, 1 + (2 * Math.max(P, leastExecPeriodSeconds(probe, minimum)) + 1) / 10);
  const within = seconds === 0 && P >= 2 ? [PATIENT_TIMEOUT_SECONDS, 3, 2].filter((T) => T === 2 || T <= most) : [];
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
