import { integer } from '../policy/check-parameters.ts';
import { member, objectMember } from '../../base/json/json-value.ts';
import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { isCount } from '../probe/timing.ts';
import {
  EXEC_PERIOD_SECONDS,
  PATIENT_TIMEOUT_SECONDS,
  heavyClientOf,
  leastExecPeriodSeconds,
} from './lib/heavy-client.ts';
import { isFastEnough, roundPeriodFrom, roundPeriodUpTo, toWrite } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Finding } from './check.ts';
import type { CheckedWorkload, CheckedProbe } from './checked-workload.ts';

/**
 * P >= minimumPeriodSeconds, and P >= 30 for a heavy client, because each probe starts a process in the container
 * (Kubernetes documentation, "Caution" under exec probes). T > 1: since 1.20 a timeout is a failure (kubernetes#82440).
 */
export const execCost = defineCheck({
  id: 'exec-cost',
  summary: 'A probe starts processes often, or gives them a second.',
  action: 'Warn',
  handlers: ['exec'],
  judgesProbeAlone: true,
  parameters: {
    minimumPeriodSeconds: integer({
      minimum: 0,
      default: EXEC_PERIOD_SECONDS,
      text: `Seconds that an exec probe must leave between two processes, at least. Default ${EXEC_PERIOD_SECONDS}.`,
    }),
  },
  eachProbe: (probe, { minimumPeriodSeconds }) =>
    [tooOften, tooImpatient].flatMap((rule) => rule(probe, minimumPeriodSeconds) ?? []),
});

function tooOften(probe: CheckedProbe, minimum: number): Finding | undefined {
  const period = probe.timing?.periodSeconds;
  const least = leastExecPeriodSeconds(probe, minimum);
  if (period === undefined || period >= least) return undefined;
  const heavy = heavyClientOf(probe);
  const perMinute = 60 / period;
  const replicas = replicasOf(probe.container.workload);
  const inAll = replicas > 1 ? `, ${rounded(perMinute * replicas)} for its ${replicas} replicas,` : '';
  const what = heavy === undefined ? 'processes' : `processes of the heavy client ${heavy}`;
  return {
    ...located(probe, 'periodSeconds'),
    message:
      `${containerPhrase(probe.container)} starts ${rounded(perMinute)} ${what} a minute on its node${inAll} ` +
      `for the exec ${probe.kind}`,
    ...longerPeriod(probe, least),
  };
}

const OTHER_HANDLER = 'ask with httpGet, tcpSocket or grpc, or with a smaller program';

/** Advises a longer period, unless the probe would then need too long to kill, or to stop the traffic. */
function longerPeriod(probe: CheckedProbe, least: number): Pick<Finding, 'remedy' | 'edits'> {
  const periodSeconds = roundPeriodFrom(least);
  if (periodSeconds === undefined || !isFastEnough(probe, { periodSeconds })) return { remedy: OTHER_HANDLER };
  const { words, edits } = toWrite(probe, { periodSeconds });
  return { remedy: `write ${words} or more`, edits };
}

function tooImpatient(probe: CheckedProbe, minimum: number): Finding | undefined {
  const { timing } = probe;
  if (timing?.timeoutSeconds !== DEFAULT_TIMING.timeoutSeconds) return undefined;
  return {
    ...located(probe, 'timeoutSeconds'),
    message:
      `${containerPhrase(probe.container)} gives the command of its exec ${probe.kind} ` +
      `${DEFAULT_TIMING.timeoutSeconds} s to start and end, also on a busy node, and a timeout is a failure`,
    ...longerTimeout(probe, timing.periodSeconds, minimum),
  };
}

/** Advises a longer timeout, within the period (timeout-over-period). A short period gets longer, too. */
function longerTimeout(probe: CheckedProbe, P: number, minimum: number): Pick<Finding, 'remedy' | 'edits'> {
  const patient = P < 2 ? PATIENT_TIMEOUT_SECONDS : (roundPeriodUpTo(P) ?? PATIENT_TIMEOUT_SECONDS);
  const timeoutSeconds = Math.min(patient, PATIENT_TIMEOUT_SECONDS);
  // A longer period must also be long enough for the rule about periods, so that both rules say the same.
  const isLonger = P < timeoutSeconds;
  const periodSeconds = isLonger
    ? roundPeriodFrom(Math.max(timeoutSeconds, leastExecPeriodSeconds(probe, minimum)))
    : P;
  if (periodSeconds === undefined || !isFastEnough(probe, { timeoutSeconds, periodSeconds }))
    return { remedy: isLonger ? OTHER_HANDLER : 'write a longer timeoutSeconds and a shorter periodSeconds' };
  const { words, edits } = toWrite(probe, { timeoutSeconds, periodSeconds });
  return { remedy: `write ${words}`, edits };
}

/** How many Pods may run at the same time; 1 for a kind without such a number. */
function replicasOf({ object }: CheckedWorkload): number {
  const spec = objectMember(object, 'spec') ?? {};
  const replicas = member(spec, 'replicas') ?? member(spec, 'parallelism');
  return isCount(replicas) ? replicas : 1;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
