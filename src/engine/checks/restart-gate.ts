import { DEFAULT_TIMING } from '../probe/default-values.ts';
import { killBy } from '../probe/grace-period.ts';
import { mayBeRestarted } from '../probe/restarts.ts';
import { STARTUP_PERIOD_SECONDS } from '../probe/startup-budget.ts';
import {
  failureThresholdFor,
  guaranteedRestartSeconds,
  guaranteedStartSeconds,
  OPEN_GATE_ISSUE,
  OPEN_GATE_VERSIONS,
} from '../probe/timing.ts';
import { undeclaredPortName } from '../workload/ports.ts';
import { probeOf } from './checked-probe.ts';
import { leastExecPeriodSeconds } from './lib/exec-patience.ts';
import { killsInTime, PERIODS, roundPeriodUpTo, roundThreshold } from './lib/round-numbers.ts';
import { containerPhrase } from './lib/wording.ts';
import { defineCheck } from './check.ts';
import type { FieldEdit } from '../../base/json/field-edit.ts';
import type { ProbeTiming } from '../probe/timing.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `.periodSeconds`, `.failureThreshold` and `.initialDelaySeconds` of `startupProbe` and `livenessProbe`;
 * `restartPolicy`.
 *
 * Rule: max(0, D-1) + (F-1)*P of the liveness probe >= P of the startup probe, or >= the time that the startup probe
 * guarantees. After a liveness kill, Kubernetes 1.35 to 1.37 runs the liveness probe of the new container until the
 * next tick of the startup probe (kubernetes/kubernetes#141155; measured: test/fixtures/kubelet/g1). A container that
 * nothing restarts is skipped, and so is a probe whose port name is undeclared, because it never has a result.
 */
export const restartGate = defineCheck({
  id: 'restart-gate',
  summary: 'After a liveness kill, the liveness probe may kill the container again while it starts.',
  action: 'Warn',
  judgesProbeAlone: true,
  relatedProbes: ['livenessProbe'],
  run: (workload, container) => {
    const finding = findingOf(workload, container);
    return finding === undefined ? [] : [finding];
  },
});

/** A probe with the numbers that the check needs. */
interface Timed {
  readonly probe: CheckedProbe;
  readonly timing: ProbeTiming;
}

function findingOf(workload: CheckedWorkload, container: CheckedContainer): Finding | undefined {
  const startup = timed(container, 'startupProbe');
  const liveness = timed(container, 'livenessProbe');
  if (startup === undefined || liveness === undefined) return undefined;
  const guaranteed = guaranteedStartSeconds(startup.timing);
  const afterKill = guaranteedRestartSeconds(startup.timing, liveness.timing);
  if (afterKill >= guaranteed || !mayBeRestarted(container.spec, workload.podSpec)) return undefined;
  return {
    probe: 'startupProbe',
    path: startup.probe.place.path('periodSeconds'),
    message:
      `${containerPhrase(container)}: after a liveness kill, ${OPEN_GATE_VERSIONS} may kill it ${afterKill} s ` +
      `after the restart (${OPEN_GATE_ISSUE})`,
    ...adviceOf(workload, container, startup, liveness),
  };
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
function adviceOf(
  { podSpec }: CheckedWorkload,
  { spec }: CheckedContainer,
  startup: Timed,
  liveness: Timed,
): Pick<Finding, 'remedy' | 'edits'> {
  const { timing } = liveness;
  const kill = killBy(liveness.probe.spec, spec, podSpec);
  const own = startup.timing.periodSeconds;
  const shorter = roundPeriodUpTo(guaranteedStartSeconds(timing));
  const alone = shorter === undefined ? undefined : editsOfStartup(startup, shorter);
  if (alone !== undefined) return adviceWith(alone, []);
  for (const period of [own, ...PERIODS.filter((round) => round < own).reverse()]) {
    const { initialDelaySeconds: D, periodSeconds: P } = timing;
    // The API server's default is the least, because the check single-failure advises that number.
    const enough = Math.max(failureThresholdFor(period, D, P), DEFAULT_TIMING.failureThreshold);
    const failureThreshold = roundThreshold(enough, 'livenessProbe');
    const edits = period === own ? [] : editsOfStartup(startup, period);
    if (failureThreshold === undefined || edits === undefined) continue;
    if (!killsInTime(timing, { ...timing, failureThreshold }, kill)) continue;
    return adviceWith(edits, [editOf(liveness, 'failureThreshold', failureThreshold)]);
  }
  return {
    remedy:
      'shorten periodSeconds of the startupProbe, or let the livenessProbe fail more often, until ' +
      '(failureThreshold - 1) x periodSeconds of the livenessProbe reaches it',
  };
}

/** The edits for a shorter period. Undefined when the probe could not keep its time and its timeout. */
function editsOfStartup(startup: Timed, periodSeconds: number): FieldEdit[] | undefined {
  const { probe, timing } = startup;
  const leastOfExec = probe.handlerKind === 'exec' ? STARTUP_PERIOD_SECONDS : 0;
  if (periodSeconds < Math.max(timing.timeoutSeconds, leastOfExec, leastExecPeriodSeconds(probe))) return undefined;
  const kept = (timing.failureThreshold - 1) * timing.periodSeconds;
  const failureThreshold = roundThreshold(failureThresholdFor(kept, 0, periodSeconds), 'startupProbe');
  if (failureThreshold === undefined) return undefined;
  return [
    editOf(startup, 'periodSeconds', periodSeconds),
    ...(failureThreshold === timing.failureThreshold ? [] : [editOf(startup, 'failureThreshold', failureThreshold)]),
  ];
}

function editOf({ probe }: Timed, field: string, value: number): FieldEdit {
  return { path: probe.place.path(field), value };
}

function adviceWith(
  ofStartup: readonly FieldEdit[],
  ofLiveness: readonly FieldEdit[],
): Pick<Finding, 'remedy' | 'edits'> {
  const words = [
    ...(ofStartup.length > 0 ? [`${fieldsOf(ofStartup)} in the startupProbe`] : []),
    ...(ofLiveness.length > 0 ? [`${fieldsOf(ofLiveness)} in the livenessProbe`] : []),
  ];
  return { remedy: `write ${words.join(', and ')}`, edits: [...ofStartup, ...ofLiveness] };
}

function fieldsOf(edits: readonly FieldEdit[]): string {
  return edits.map(({ path, value }) => `${String(path.at(-1))}: ${String(value)}`).join(' and ');
}
