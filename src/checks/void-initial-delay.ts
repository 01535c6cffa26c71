import { guaranteedStartSeconds } from '../probes/timing.ts';
import { probeOf } from './checked-probe.ts';
import { containerPhrase } from './wording.ts';
import { defineCheck } from './check.ts';
import type { Finding } from './check.ts';

/**
 * Fields: `livenessProbe.initialDelaySeconds`, `readinessProbe.initialDelaySeconds`; the integers of `startupProbe`.
 *
 * Rule: no delay when a startup probe guards a longer start: max(0, Ds-1) + (Fs-1)*Ps > D > 0. The delay counts from
 * the container's start, not from the startup probe's success (pkg/kubelet/prober/worker.go, doProbe). Such a delay has
 * no effect.
 */
export const voidInitialDelay = defineCheck({
  id: 'void-initial-delay',
  summary: 'An initial delay has no effect behind the startup probe.',
  action: 'Audit',
  judgesProbeAlone: true,
  relatedProbes: ['startupProbe'],
  // An injected startup probe was made because of the delay, so the delay does have an effect.
  acceptsDelayOfInjectedStartup: true,
  run: (_workload, container) => {
    const startup = probeOf(container, 'startupProbe');
    const guard = startup?.timing;
    if (guard === undefined) return [];
    const guarded = guaranteedStartSeconds(guard);
    return (['livenessProbe', 'readinessProbe'] as const).flatMap((kind): Finding[] => {
      const probe = probeOf(container, kind);
      const delay = probe?.timing?.initialDelaySeconds ?? 0;
      if (probe === undefined || delay === 0 || guarded <= delay) return [];
      const message =
        `${containerPhrase(container)} delays its ${kind} by ${delay} s from its start, ` +
        `which startupProbe already guards for ${guarded} s; ` +
        'take initialDelaySeconds out';
      return [{ probe: kind, path: probe.place.path('initialDelaySeconds'), message }];
    });
  },
});
