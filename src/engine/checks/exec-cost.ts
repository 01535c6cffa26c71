import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { durationOf } from '../probe/command-duration.ts';
import {
  EXEC_PERIOD_SECONDS,
  PATIENT_TIMEOUT_SECONDS,
  heavyClientOf,
  leastExecPeriodSeconds,
} from './lib/heavy-client.ts';
import { adviceIfFast, roundPeriodFrom, roundPeriodUpTo } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, quotedValue, type Advice, type Finding } from './check.ts';
import { numberOf, type CheckedWorkload } from './checked-workload.ts';
import { isTimed, type TimedProbe } from '../workload/pod.ts';

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
  const outcome = isHopeless ? 'every probe fails' : 'the kubelet ends it before it can report its own error';
  return {
    ...located(probe, 'timeoutSeconds'),
    message:
      `${containerPhrase(container)} gives the command of its exec ${kind} ${T} s` +
      (isOver
        ? `, and it ${takes} (${words}): ${outcome}`
        : ' to start and end, also on a busy node, and a timeout is a failure'),
    ...(longerTimeout(probe, minimum, seconds) ?? shorterCommand(T, isHopeless, isOver)),
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
