import { member, objectMember } from '../probes/json.ts';
import { isCount } from '../probes/timing.ts';
import { integerParameter } from './parameters.ts';
import { the } from './wording.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

const DEFAULT_MINIMUM_PERIOD_SECONDS = 5;
/** Long enough for a small program on a busy node. */
const PATIENT_TIMEOUT_SECONDS = 5;

/**
 * Fields: `<probe>.periodSeconds`, `<probe>.timeoutSeconds` of an exec probe; `spec.replicas` or `spec.parallelism`
 * of the workload.
 *
 * Rule: P >= minimumPeriodSeconds, and T > 1. Every probe makes a process in the container, at its own cost
 * (Kubernetes documentation, "Caution" under exec probes); one second, the API server's default, is short for a
 * process on a busy node, and a timeout counts as a failure since 1.20 (kubernetes#82440).
 */
export const execCost: Check = {
  id: 'exec-cost',
  run: (workload, container, parameters) => {
    const minimum = integerParameter(parameters, 'minimumPeriodSeconds', DEFAULT_MINIMUM_PERIOD_SECONDS);
    return container.probes
      .filter((probe) => probe.handlerKind === 'exec')
      .flatMap((probe) => [...tooOften(workload, container, probe, minimum), ...tooImpatient(container, probe)]);
  },
};

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
    `${the(container)} is made to start ${rounded(perMinute)} processes a minute on its node${inAll} by the exec ${probe.kind}; ` +
    `write periodSeconds: ${minimum} or more`;
  return [{ probe: probe.kind, path: `${probe.path}.periodSeconds`, message }];
}

function tooImpatient(container: CheckedContainer, probe: CheckedProbe): Finding[] {
  if (probe.timing?.timeoutSeconds !== 1) return [];
  const message =
    `${the(container)} gives the command of its exec ${probe.kind} 1 s to start and end, also on a busy node, and a ` +
    `timeout is a failure; write timeoutSeconds: ${PATIENT_TIMEOUT_SECONDS}`;
  return [{ probe: probe.kind, path: `${probe.path}.timeoutSeconds`, message }];
}

/**
 * The Pods that may run at the same time; 1 where the kind has no number of them (a Pod, or a DaemonSet on each
 * node).
 */
function replicasOf({ object }: CheckedWorkload): number {
  const spec = objectMember(object, 'spec') ?? {};
  const replicas = member(spec, 'replicas') ?? member(spec, 'parallelism');
  return isCount(replicas) ? replicas : 1;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
