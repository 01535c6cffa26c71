import { PROBE_INTEGERS } from '../probe/probe.ts';
import { containerPhrase, defineCheck, located } from './check.ts';

const EXAMPLE =
  'e.g. { periodSeconds: { minimum: 2, maximum: 60 } }. What the probe leaves out counts with its default.';

/**
 * After API defaulting. A probe without its own grace period uses the Pod's, which is not judged (Kubewarden, Datree).
 */
export const probeBounds = defineCheck({
  id: 'probe-bounds',
  summary: 'A number of the probe is outside its bounds.',
  action: 'Off',
  judgesProbeAlone: true,
  parameters: {
    livenessProbe: { type: 'bounds', default: {}, text: `Bounds for liveness probes, ${EXAMPLE}` },
    readinessProbe: { type: 'bounds', default: {}, text: `Bounds for readiness probes, ${EXAMPLE}` },
    startupProbe: { type: 'bounds', default: {}, text: `Bounds for startup probes, ${EXAMPLE}` },
  },
  eachProbe: (probe, parameters) =>
    PROBE_INTEGERS.flatMap((field) => {
      const { minimum = 0, maximum = Infinity } = parameters[probe.kind][field] ?? {};
      const isGrace = field === 'terminationGracePeriodSeconds';
      const value = isGrace ? probe.graceSeconds : probe.timing?.[field];
      if (typeof value !== 'number' || (value >= minimum && value <= maximum)) return [];
      const [bound, words] = value < minimum ? [minimum, 'or more'] : [maximum, 'or less'];
      const place = located(probe, field);
      // More time works, too. Fewer failures or a shorter start may not.
      const isShorterWait = probe.kind === 'readinessProbe' && /^(?:initialDelay|period)Seconds$/.test(field);
      return {
        ...place,
        message: `${containerPhrase(probe.container)} has ${field} ${value} in its ${probe.kind}, outside the bounds of a policy`,
        remedy: `write ${bound} ${words}`,
        ...((bound > value || isGrace || isShorterWait) && { edits: [{ path: place.path, value: bound }] }),
      };
    }),
});
