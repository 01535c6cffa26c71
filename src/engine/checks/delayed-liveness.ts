import { endpointOf } from './lib/endpoint.ts';
import { MOST_KILL_SECONDS, WARNED_DELAY_SECONDS } from '../time/bounds.ts';
import { startupInPlaceOfLiveness } from './lib/startup-probe.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import { guaranteedStartSeconds, verdictSpan } from '../time/timing.ts';
import type { CheckedWorkload } from './checked-workload.ts';
import { hasProbe, isTimed, timedProbe, type Probe, type TimedProbe } from '../workload/pod.ts';

/** Above this failureThreshold, a long tolerance is a substitute for a startup probe. */
const ORDINARY_FAILURE_THRESHOLD = 10;

/**
 * Reports D >= seconds, or F*P >= toleranceSeconds with F > 10, without a startup probe, which replaces both (KEP-950).
 * A note where the delay hides little.
 */
export const delayedLiveness = defineCheck({
  id: 'delayed-liveness',
  summary: 'A liveness probe waits for a slow start in place of a startup probe.',
  action: 'Warn',
  judgesProbeAlone: true,
  parameters: {
    seconds: {
      type: 'integer',
      default: 30,
      text:
        'initialDelaySeconds of a liveness probe from which on it is taken for a substitute of a startup probe. ' +
        'Seconds, default 30.',
    },
    toleranceSeconds: {
      type: 'integer',
      default: 120,
      text:
        'failureThreshold * periodSeconds from which on a liveness probe with a failureThreshold over 10 is taken for one. ' +
        'Seconds, default 120.',
    },
  },
  kinds: ['livenessProbe'],
  eachProbe: (liveness, { seconds, toleranceSeconds }, workload) => {
    const { container } = liveness;
    if (!isTimed(liveness) || hasProbe(container, 'startupProbe')) return undefined;
    const { initialDelaySeconds: D, periodSeconds: P, failureThreshold: F } = liveness.timing;
    const isDelayed = D >= seconds;
    if (!isDelayed && (F <= ORDINARY_FAILURE_THRESHOLD || F * P < toleranceSeconds)) return undefined;
    const unwatched = isDelayed ? D : F * P;
    const killed = guaranteedStartSeconds(liveness.timing);
    const harm = isDelayed
      ? `is not watched for ${unwatched} s after every start. A start over ${killed} s may be killed`
      : `may hang for ${unwatched} s (${F} failures, one every ${P} s) at any time before it is restarted`;
    const isNote = isDelayed ? isShort(liveness) : isTolerable(liveness, unwatched, workload);
    // The note sidecar-gate has the startup probe in full, with the handler of readiness.
    const isGate = !isDelayed && container.role === 'sidecar' && timedProbe(container, 'readinessProbe') !== undefined;
    const advice = isGate ? allowing(killed) : startupInPlaceOfLiveness(liveness, workload);
    return {
      ...located(liveness, isDelayed ? 'initialDelaySeconds' : 'failureThreshold'),
      message: `${containerPhrase(container)} ${harm}`,
      ...(isDelayed ? advice : withLowerThreshold(advice)),
      ...(isNote && { level: 'Audit' }),
    };
  },
});

const allowing = (seconds: number): Advice => ({
  remedy: `guard the start with a startupProbe that allows ${seconds} s`,
});

/** No edits: nobody knows which number the running container needs, and with the same number it may hang as long. */
function withLowerThreshold({ remedy, copied }: Advice): Advice {
  return { remedy: `${String(remedy)}, and then lower failureThreshold`, ...(copied && { copied }) };
}

/** A hang at the start that lasts longer than this is worth a change, even if readiness keeps traffic away. */
const LONG_DELAY_SECONDS = 300;

/**
 * True for a delay that hides little: one below 60 s, one no longer than the probe itself needs to see a hang, and one
 * of less than 300 s where readiness asks first. An agent of the node without readiness is restarted within 120 s.
 */
function isShort(liveness: TimedProbe): boolean {
  const delay = liveness.timing.initialDelaySeconds;
  if (delay < WARNED_DELAY_SECONDS || delay <= verdictSpan(liveness.timing).latest || isWatchedByReadiness(liveness))
    return true;
  const readiness = timedProbe(liveness.container, 'readinessProbe');
  if (readiness === undefined)
    return liveness.container.pod.hostNetwork && delay + verdictSpan(liveness.timing).latest <= MOST_KILL_SECONDS;
  return readiness.timing.initialDelaySeconds < delay && delay < LONG_DELAY_SECONDS;
}

/** True for patience that harms nobody: readiness stops the traffic, or a node's agent is restarted within 120 s. */
function isTolerable(liveness: TimedProbe, seconds: number, { kind }: CheckedWorkload): boolean {
  const most = kind.kind === 'DaemonSet' ? MOST_KILL_SECONDS : WARNED_DELAY_SECONDS - 1;
  return seconds <= most || isWatchedByReadiness(liveness);
}

/** True when readiness asks the same endpoint early: a container that hangs then gets no traffic. */
function isWatchedByReadiness(liveness: Probe): boolean {
  const readiness = timedProbe(liveness.container, 'readinessProbe');
  if (readiness === undefined || readiness.timing.initialDelaySeconds >= WARNED_DELAY_SECONDS) return false;
  const endpoint = endpointOf(liveness);
  return endpoint !== undefined && endpoint === endpointOf(readiness);
}
