import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import {
  EXEC_PERIOD_SECONDS,
  PATIENT_TIMEOUT_SECONDS,
  heavyClientOf,
  leastExecPeriodSeconds,
} from './lib/heavy-client.ts';
import { adviceIfFast, roundPeriodFrom, roundPeriodUpTo } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Advice, type Finding } from './check.ts';
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

function tooImpatient(probe: TimedProbe, minimum: number): Finding | undefined {
  if (probe.timing.timeoutSeconds !== DEFAULT_TIMING.timeoutSeconds) return undefined;
  return {
    ...located(probe, 'timeoutSeconds'),
    message:
      `${containerPhrase(probe.container)} gives the command of its exec ${probe.kind} ` +
      `${DEFAULT_TIMING.timeoutSeconds} s to start and end, also on a busy node, and a timeout is a failure`,
    ...longerTimeout(probe, minimum),
  };
}

/** Advises a longer timeout, within the period (timeout-over-period). A short period gets longer, too. */
function longerTimeout(probe: TimedProbe, minimum: number): Advice & Pick<Finding, 'level'> {
  const P = probe.timing.periodSeconds;
  if (P >= 2) {
    const timeoutSeconds = Math.min(roundPeriodUpTo(P) ?? P, PATIENT_TIMEOUT_SECONDS);
    const advice = adviceIfFast(probe, { timeoutSeconds });
    // Nobody knows how often a command with side effects may run: a consumer writes anew the file that it removes.
    if (advice === undefined && mayAct(probe)) return { ...OTHER_HANDLER, level: 'Off' };
    return advice ?? { remedy: 'write a longer timeoutSeconds and a shorter periodSeconds' };
  }
  // A longer period must also be long enough for the rule about periods, so that both rules say the same.
  const timeoutSeconds = PATIENT_TIMEOUT_SECONDS;
  const periodSeconds = roundPeriodFrom(Math.max(timeoutSeconds, leastExecPeriodSeconds(probe, minimum)));
  return (periodSeconds && adviceIfFast(probe, { timeoutSeconds, periodSeconds })) ?? OTHER_HANDLER;
}

/** How many Pods may run at the same time; 1 for a kind without such a number. */
function replicasOf(workload: CheckedWorkload): number {
  return (numberOf(workload, 'replicas') ?? numberOf(workload, 'parallelism')) || 1;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
