import { eachProbe } from './lib/each-probe.ts';
import { podGraceSeconds, probeGraceSeconds } from '../probe/grace-period.ts';
import { killEndsPod } from '../probe/restarts.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';

/**
 * Fields: `livenessProbe.terminationGracePeriodSeconds`, `startupProbe.terminationGracePeriodSeconds` and the Pod's
 * field. A readiness probe may not have this field (valid-probe).
 *
 * Rule: the probe's grace period is not longer than the Pod's. The field is meant to shorten the termination of a
 * container that hangs. The probe's value also wins when it is longer
 * (pkg/kubelet/kuberuntime/kuberuntime_container.go, setTerminationGracePeriod). A kill that ends the Pod ignores the
 * probe's value (src/engine/probe/restarts.ts).
 */
export const gracePeriod = defineCheck({
  id: 'grace-period',
  summary: 'A probe kills more patiently than the Pod is stopped.',
  action: 'Warn',
  run: (workload, container) => {
    const pods = podGraceSeconds(workload.podSpec);
    if (pods === undefined || killEndsPod(container.spec, workload.podSpec)) return [];
    return eachProbe(container, (probe) => {
      const own = probe.kind === 'readinessProbe' ? undefined : probeGraceSeconds(probe.spec);
      if (typeof own !== 'number' || own <= pods) return undefined;
      const message = `${containerPhrase(container)} gets ${own} s to end after its ${probe.kind} gave up, more than the Pod's ${pods} s, and the probe's value wins`;
      const path = probe.place.path('terminationGracePeriodSeconds');
      const remedy = `remove terminationGracePeriodSeconds${pods === 0 ? '' : `, or write ${pods} or less`}`;
      return { probe: probe.kind, path, message, remedy, edits: [{ path, value: null }] };
    });
  },
});
