import { endpointOf } from './lib/endpoint.ts';
import { startupInPlaceOfDelays, WARNED_DELAY_SECONDS } from './lib/startup-probe.ts';
import { MOST_KILL_SECONDS } from './lib/round-numbers.ts';
import { containerPhrase, defineCheck, located, type Advice } from './check.ts';
import { verdictSpan } from '../probe/timing.ts';
import { hasProbe, isTimed, mayAct, timedProbe, type Probe, type TimedProbe } from '../workload/pod.ts';

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
    const harm = isDelayed
      ? `is not watched for ${unwatched} s after every start`
      : `may hang for ${unwatched} s (${F} failures, one every ${P} s) at any time before it is restarted`;
    const isNote = isDelayed ? isShort(liveness) : unwatched < WARNED_DELAY_SECONDS || isWatchedByReadiness(liveness);
    const advice = startupInPlaceOfDelays(workload, liveness, ...container.probes.filter(isMovable));
    return {
      ...located(liveness, isDelayed ? 'initialDelaySeconds' : 'failureThreshold'),
      message: `${containerPhrase(container)} ${harm}`,
      ...(isDelayed ? advice : withLowerThreshold(advice)),
      ...(isNote && { level: 'Audit' }),
    };
  },
});

/** No edits: nobody knows which number the running container needs, and with the same number it may hang as long. */
function withLowerThreshold({ remedy, copied }: Advice): Advice {
  return { remedy: `${String(remedy)}, and then lower failureThreshold`, ...(copied && { copied }) };
}

/** The startup probe replaces the delay of readiness, too, as in the advice of delayed-readiness. */
function isMovable(probe: Probe): probe is TimedProbe {
  return probe.kind === 'readinessProbe' && isTimed(probe) && !mayAct(probe);
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

/** True when readiness asks the same endpoint early: a container that hangs then gets no traffic. */
function isWatchedByReadiness(liveness: Probe): boolean {
  const readiness = timedProbe(liveness.container, 'readinessProbe');
  if (readiness === undefined || readiness.timing.initialDelaySeconds >= WARNED_DELAY_SECONDS) return false;
  const endpoint = endpointOf(liveness);
  return endpoint !== undefined && endpoint === endpointOf(readiness);
}
