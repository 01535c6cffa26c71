import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { mayBeRestarted } from '../probe/grace-period.ts';
import { STARTUP_PERIOD_SECONDS } from '../probe/startup-budget.ts';
import {
  failureThresholdFor,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  OPEN_GATE_ISSUE,
  OPEN_GATE_VERSIONS,
  type ProbeTiming,
} from '../probe/timing.ts';
import { undeclaredPortName } from '../workload/ports.ts';
import { leastExecPeriodSeconds } from './lib/heavy-client.ts';
import { isFastEnough, MOST_FAILURES, PERIODS, roundPeriodUpTo, toWrite } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, type Advice } from './check.ts';
import { probeOf, type CheckedContainer, type CheckedProbe } from './checked-workload.ts';

/**
 * After a liveness kill, Kubernetes 1.35 to 1.37 runs the new container's liveness probe until the startup probe's next
 * tick (kubernetes/kubernetes#141155; measured: test/fixtures/kubelet/g1). A probe with an undeclared port name never
 * has a result, and is skipped.
 */
export const restartGate = defineCheck({
  id: 'restart-gate',
  summary: 'After a liveness kill, the liveness probe may kill the container again while it starts.',
  action: 'Warn',
  judgesProbeAlone: true,
  relatedProbes: ['livenessProbe'],
  run: (container) => {
    const startup = timed(container, 'startupProbe');
    const liveness = timed(container, 'livenessProbe');
    if (startup === undefined || liveness === undefined) return undefined;
    const guaranteed = guaranteedStartSeconds(startup.timing);
    const afterKill = guaranteedRestartSeconds(startup.timing, liveness.timing);
    if (afterKill >= guaranteed || !mayBeRestarted(container.spec, container.workload.podSpec)) return undefined;
    return {
      probe: 'startupProbe',
      path: startup.probe.place.path('periodSeconds'),
      message:
        `${containerPhrase(container)}: after a liveness kill, ${OPEN_GATE_VERSIONS} may kill it ${afterKill} s ` +
        `after the restart (${OPEN_GATE_ISSUE})`,
      ...adviceOf(startup, liveness),
    };
  },
});

interface Timed {
  readonly probe: CheckedProbe;
  readonly timing: ProbeTiming;
}

function timed(container: CheckedContainer, kind: 'startupProbe' | 'livenessProbe'): Timed | undefined {
  const probe = probeOf(container, kind);
  const timing = probe?.timing;
  if (probe === undefined || timing === undefined) return undefined;
  return undeclaredPortName(container.spec, probe.spec) === undefined ? { probe, timing } : undefined;
}

/**
 * Advises the smallest change that closes the gate: a shorter period of the startup probe. Where that takes too many
 * failures, more failures of the liveness probe, then both. The startup probe keeps the time that it guarantees.
 */
function adviceOf(startup: Timed, { probe: liveness, timing }: Timed): Advice {
  const own = startup.timing.periodSeconds;
  const shorter = roundPeriodUpTo(guaranteedStartSeconds(timing));
  const alone = shorter === undefined ? undefined : ofStartup(startup, shorter);
  if (alone !== undefined) return { remedy: `write ${alone.words} in the startupProbe`, edits: alone.edits };
  for (const period of [own, ...PERIODS.filter((round) => round < own).reverse()]) {
    const { initialDelaySeconds: D, periodSeconds: P } = timing;
    // The API server's default is the least, because the check single-failure advises that number.
    const failureThreshold = Math.max(failureThresholdFor(period, D, P), DEFAULT_TIMING.failureThreshold);
    const first = period === own ? { words: '', edits: [] } : ofStartup(startup, period);
    if (failureThreshold > MOST_FAILURES.livenessProbe || first === undefined) continue;
    if (!isFastEnough(liveness, { failureThreshold })) continue;
    const { words, edits } = toWrite(liveness, { failureThreshold });
    const before = first.words === '' ? '' : `${first.words} in the startupProbe, and `;
    return { remedy: `write ${before}${words} in the livenessProbe`, edits: [...first.edits, ...edits] };
  }
  return {
    remedy:
      'shorten periodSeconds of the startupProbe, or let the livenessProbe fail more often, until ' +
      '(failureThreshold - 1) x periodSeconds of the livenessProbe reaches it',
  };
}

/** The numbers for a shorter period. Undefined when the probe could not keep its time and its timeout. */
function ofStartup({ probe, timing }: Timed, periodSeconds: number): ReturnType<typeof toWrite> | undefined {
  const leastOfExec = probe.handlerKind === 'exec' ? STARTUP_PERIOD_SECONDS : 0;
  if (periodSeconds < Math.max(timing.timeoutSeconds, leastOfExec, leastExecPeriodSeconds(probe))) return undefined;
  const kept = (timing.failureThreshold - 1) * timing.periodSeconds;
  const failureThreshold = failureThresholdFor(kept, 0, periodSeconds);
  if (failureThreshold > MOST_FAILURES.startupProbe) return undefined;
  return toWrite(probe, { periodSeconds, failureThreshold });
}
