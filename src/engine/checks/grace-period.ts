import { killEndsPod, podGraceSeconds, probeGraceSeconds } from '../probe/grace-period.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

/**
 * Fields: `livenessProbe.terminationGracePeriodSeconds`, `startupProbe.terminationGracePeriodSeconds` and the Pod's
 * field. A readiness probe may not have this field (valid-probe). Rule: the probe's grace period is not longer than the
 * Pod's. The field is meant to shorten the termination of a container that hangs. The probe's value also wins when it
 * is longer (pkg/kubelet/kuberuntime/kuberuntime_container.go, setTerminationGracePeriod). A kill that ends the Pod
 * ignores the probe's value (src/engine/probe/grace-period.ts).
 */
export const gracePeriod = defineCheck({
  id: 'grace-period',
  summary: 'A probe kills more patiently than the Pod is stopped.',
  action: 'Warn',
  kinds: ['livenessProbe', 'startupProbe'],
  eachProbe: (probe) => {
    const { container } = probe;
    const { podSpec } = container.workload;
    const [own, pods] = [probeGraceSeconds(probe.spec), podGraceSeconds(podSpec)];
    if (typeof own !== 'number' || pods === undefined || own <= pods) return undefined;
    if (killEndsPod(container.spec, podSpec)) return undefined;
    const message = `${containerPhrase(container)} gets ${own} s to end after its ${probe.kind} gave up, more than the Pod's ${pods} s, and the probe's value wins`;
    const remedy = `remove terminationGracePeriodSeconds${pods === 0 ? '' : `, or write ${pods} or less`}`;
    const place = located(probe, 'terminationGracePeriodSeconds');
    return { ...place, message, remedy, edits: [{ path: place.path, value: null }] };
  },
});
