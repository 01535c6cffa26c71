import { guaranteedStartSeconds } from '../probe/timing.ts';
import { probeOf } from './checked-probe.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';
import type { CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

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
    return (['livenessProbe', 'readinessProbe'] as const).flatMap((kind) => {
      const found = voidDelay(container, kind, guarded);
      return found === undefined ? [] : [finding(container, found, guarded)];
    });
  },
});

interface VoidDelay {
  readonly probe: CheckedProbe;
  readonly delay: number;
}

/** Returns a probe whose delay ends before the time that the startup probe guards. */
function voidDelay(
  container: CheckedContainer,
  kind: 'livenessProbe' | 'readinessProbe',
  guarded: number,
): VoidDelay | undefined {
  const probe = probeOf(container, kind);
  const delay = probe?.timing?.initialDelaySeconds ?? 0;
  return probe === undefined || delay === 0 || guarded <= delay ? undefined : { probe, delay };
}

function finding(container: CheckedContainer, { probe, delay }: VoidDelay, guarded: number): Finding {
  const path = probe.place.path('initialDelaySeconds');
  return {
    probe: probe.kind,
    path,
    message:
      `${containerPhrase(container)} delays its ${probe.kind} by ${delay} s from its start, ` +
      `which startupProbe already guards for ${guarded} s`,
    remedy: 'remove initialDelaySeconds',
    edits: [{ path, value: null }],
  };
}
