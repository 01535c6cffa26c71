import { DEFAULT_TIMING } from '../probe/api-defaults.ts';
import { MOST_FAILURES, PERIODS, roundPeriodUpTo, STARTUP_PERIOD_SECONDS } from '../time/bounds.ts';
import { withShorterPeriod } from '../time/startup-numbers.ts';
import {
  failureThresholdFor,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  OPEN_GATE_ISSUE,
  OPEN_GATE_VERSIONS,
} from '../time/timing.ts';
import { isDeclared } from '../workload/ports.ts';
import { leastExecPeriodSeconds } from './lib/exec-period.ts';
import { drainingFailures } from './lib/drain-race.ts';
import { isFastEnough, toWrite } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import { mayAct, timedProbe, type Container, type TimedProbe } from '../workload/pod.ts';

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
    const startup = gateProbe(container, 'startupProbe');
    const liveness = gateProbe(container, 'livenessProbe');
    if (startup === undefined || liveness === undefined) return undefined;
    const guaranteed = guaranteedStartSeconds(startup.timing);
    const afterKill = guaranteedRestartSeconds(startup.timing, liveness.timing);
    if (afterKill >= guaranteed || !container.mayBeRestarted) return undefined;
    return {
      ...located(startup, 'periodSeconds'),
      message:
        `${containerPhrase(container)}: after a liveness kill, ${OPEN_GATE_VERSIONS} may kill it ${afterKill} s ` +
        `after the restart (${OPEN_GATE_ISSUE})`,
      ...adviceOf(startup, liveness),
    };
  },
});

function gateProbe(container: Container, kind: 'startupProbe' | 'livenessProbe'): TimedProbe | undefined {
  const probe = timedProbe(container, kind);
  const { handler } = probe ?? {};
  const port = handler?.kind === 'httpGet' || handler?.kind === 'tcpSocket' ? handler.port : undefined;
  return typeof port === 'string' && !isDeclared(container.readablePorts, port) ? undefined : probe;
}

/**
 * Advises the smallest change that closes the gate: a shorter period of the startup probe. Where that takes too many
 * failures, more failures of the liveness probe, then both. The startup probe keeps the time that it guarantees.
 */
function adviceOf(startup: TimedProbe, liveness: TimedProbe): Advice {
  const { initialDelaySeconds: D, periodSeconds: P } = liveness.timing;
  const own = startup.timing.periodSeconds;
  // The checks of the same field advise what drains, or else the API server's default.
  const least = drainingFailures(liveness) ?? DEFAULT_TIMING.failureThreshold;
  const shorter = roundPeriodUpTo(guaranteedStartSeconds(liveness.timing));
  const alone = shorter === undefined ? undefined : withPeriod(startup, shorter);
  if (alone !== undefined) return { remedy: `write ${alone.words}`, edits: alone.edits };
  for (const period of [own, ...PERIODS.filter((round) => round < own).reverse()]) {
    const failureThreshold = Math.max(failureThresholdFor(period, D, P), least);
    const first = period === own ? { words: '', edits: [] } : withPeriod(startup, period);
    if (first === undefined || failureThreshold > MOST_FAILURES.livenessProbe) continue;
    if (!isFastEnough(liveness, { failureThreshold })) continue;
    const { words, edits } = toWrite(liveness, { failureThreshold });
    const before = first.words === '' ? '' : `${first.words}, and `;
    return { remedy: `write ${before}${words} in the livenessProbe`, edits: [...first.edits, ...edits] };
  }
  return {
    remedy:
      `${mayAct(startup) ? '' : 'shorten periodSeconds of the startupProbe, or '}let the livenessProbe fail more often, ` +
      'until (failureThreshold - 1) x periodSeconds of the livenessProbe reaches periodSeconds of the startupProbe',
  };
}

/** The numbers for a shorter period. Undefined when the probe could not keep its time and its timeout. */
function withPeriod(startup: TimedProbe, periodSeconds: number): ReturnType<typeof toWrite> | undefined {
  const { timing, handler } = startup;
  if (mayAct(startup) && periodSeconds < timing.periodSeconds) return undefined;
  const leastOfExec = handler.kind === 'exec' ? STARTUP_PERIOD_SECONDS : 0;
  if (periodSeconds < Math.max(timing.timeoutSeconds, leastOfExec, leastExecPeriodSeconds(startup))) return undefined;
  const numbers = withShorterPeriod(timing, periodSeconds);
  if (numbers.failureThreshold > MOST_FAILURES.startupProbe) return undefined;
  const { words, edits } = toWrite(startup, numbers);
  return { words: `${words} in the startupProbe`, edits };
}
