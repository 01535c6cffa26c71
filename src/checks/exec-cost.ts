import { integer } from '../policy/check-parameters.ts';
import { member, objectMember } from '../json/json-value.ts';
import { DEFAULT_TIMING } from '../probes/default-values.ts';
import { isCount } from '../probes/timing.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/** Enough time in seconds for a small program on a busy node. */
const PATIENT_TIMEOUT_SECONDS = 5;

/**
 * Fields: `<probe>.periodSeconds`, `<probe>.timeoutSeconds` of an exec probe; `spec.replicas` or `spec.parallelism` of
 * the workload.
 *
 * Rule: P >= minimumPeriodSeconds, and T > 1. Every exec probe starts a process in the container and uses the
 * container's CPU and memory (Kubernetes documentation, "Caution" under exec probes). The API server's default timeout
 * of 1 s is short for a process on a busy node. Since 1.20 a timeout counts as a failure (kubernetes#82440).
 */
export const execCost = defineCheck({
  id: 'exec-cost',
  summary: 'A probe starts processes often, or gives them a second.',
  action: 'Warn',
  judgesProbeAlone: true,
  parameters: {
    minimumPeriodSeconds: integer({
      minimum: 0,
      default: 5,
      text: 'Seconds that an exec probe must leave between two processes, at least. Default 5.',
    }),
  },
  run: (workload, container, { minimumPeriodSeconds: minimum }) =>
    container.probes
      .filter((probe) => probe.handlerKind === 'exec')
      .flatMap((probe) => [...tooOften(workload, container, probe, minimum), ...tooImpatient(container, probe)]),
});

function tooOften(
  workload: CheckedWorkload,
  container: CheckedContainer,
  probe: CheckedProbe,
  minimum: number,
): Finding[] {
  const period = probe.timing?.periodSeconds;
  if (period === undefined || period >= minimum) return [];
  const perMinute = 60 / period;
  const replicas = replicasOf(workload);
  const inAll = replicas > 1 ? `, ${rounded(perMinute * replicas)} for its ${replicas} replicas,` : '';
  const message =
    `${containerPhrase(container)} is made to start ${rounded(perMinute)} processes a minute on its node${inAll} ` +
    `by the exec ${probe.kind}; write periodSeconds: ${minimum} or more`;
  return [{ probe: probe.kind, path: probe.place.path('periodSeconds'), message }];
}

function tooImpatient(container: CheckedContainer, probe: CheckedProbe): Finding[] {
  if (probe.timing?.timeoutSeconds !== DEFAULT_TIMING.timeoutSeconds) return [];
  const message =
    `${containerPhrase(container)} gives the command of its exec ${probe.kind} ` +
    `${DEFAULT_TIMING.timeoutSeconds} s to start and end, also on a busy node, and a ` +
    `timeout is a failure; write timeoutSeconds: ${PATIENT_TIMEOUT_SECONDS}`;
  return [{ probe: probe.kind, path: probe.place.path('timeoutSeconds'), message }];
}

/**
 * Returns how many Pods may run at the same time. Returns 1 for a kind without such a number (a Pod, or a DaemonSet on
 * each node).
 */
function replicasOf({ object }: CheckedWorkload): number {
  const spec = objectMember(object, 'spec') ?? {};
  const replicas = member(spec, 'replicas') ?? member(spec, 'parallelism');
  return isCount(replicas) ? replicas : 1;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
