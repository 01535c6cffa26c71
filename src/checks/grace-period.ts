import { eachProbe } from './each-probe.ts';
import { podGraceSeconds, probeGraceSeconds } from './grace.ts';
import { the } from './wording.ts';
import type { Check } from './check.ts';

/**
 * Fields: `livenessProbe.terminationGracePeriodSeconds`, `startupProbe.terminationGracePeriodSeconds`; the Pod's. A
 * readiness probe may have none (valid-probe).
 *
 * Rule: the probe's is not larger than the Pod's. It is meant to shorten the end of a container that hangs, and wins
 * also when it is larger (pkg/kubelet/kuberuntime/kuberuntime_container.go, setTerminationGracePeriod).
 */
export const gracePeriod: Check = {
  id: 'grace-period',
  run: (workload, container) => {
    const pods = podGraceSeconds(workload);
    if (pods === undefined) return [];
    return eachProbe(container, (probe) => {
      const own = probe.kind === 'readinessProbe' ? undefined : probeGraceSeconds(probe);
      if (typeof own !== 'number' || own <= pods) return undefined;
      const message =
        `${the(container)} gets ${own} s to end after its ${probe.kind} gave up, more than the Pod's ${pods} s: the probe's value ` +
        `wins; ${pods === 0 ? 'take it out' : `write ${pods} or less, or take it out`}`;
      return { probe: probe.kind, path: `${probe.path}.terminationGracePeriodSeconds`, message };
    });
  },
};
