import { containerPhrase, defineCheck, located } from './check.ts';

/**
 * The probe's grace period wins, also when it is longer (kuberuntime_container.go, setTerminationGracePeriod). A kill
 * that ends the Pod ignores it.
 */
export const gracePeriod = defineCheck({
  id: 'grace-period',
  summary: 'A probe kills more patiently than the Pod is stopped.',
  action: 'Warn',
  kinds: ['livenessProbe', 'startupProbe'],
  eachProbe: (probe) => {
    const { container, graceSeconds: own } = probe;
    const pods = container.pod.graceSeconds;
    if (typeof own !== 'number' || pods === undefined || own <= pods) return undefined;
    if (container.killEndsPod) return undefined;
    const message = `${containerPhrase(container)} gets ${own} s to end after its ${probe.kind} gave up, more than the Pod's ${pods} s, and the probe's value wins`;
    const remedy = `remove terminationGracePeriodSeconds${pods === 0 ? '' : `, or write ${pods} or less`}`;
    const place = located(probe, 'terminationGracePeriodSeconds');
    return { ...place, message, remedy, edits: [{ path: place.path, value: null }] };
  },
});
