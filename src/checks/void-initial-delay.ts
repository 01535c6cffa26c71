import { guaranteedStartSeconds } from '../probes/timing.ts';
import { probeOf } from './checked-probe.ts';
import { the } from './wording.ts';
import type { Check, Finding } from './check.ts';

/**
 * Fields: `livenessProbe.initialDelaySeconds`, `readinessProbe.initialDelaySeconds`; `startupProbe`'s integers.
 *
 * Rule: no delay where a startup probe guards a longer start: max(0, Ds-1) + (Fs-1)*Ps > D > 0. The delay counts from
 * the container's start, not from the startup probe's success (pkg/kubelet/prober/worker.go, doProbe): it protects
 * from nothing any more.
 */
export const voidInitialDelay: Check = {
  id: 'void-initial-delay',
  relatedProbes: ['startupProbe'],
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
        `${the(container)} delays its ${kind} by ${delay} s from its start, which startupProbe already guards for ${guarded} s; ` +
        'take initialDelaySeconds out';
      return [{ probe: kind, path: `${probe.path}.initialDelaySeconds`, message }];
    });
  },
};
