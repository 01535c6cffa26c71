import {
  LEAST_START_SECONDS,
  STARTUP_PERIOD_SECONDS,
  hasEnoughStarts,
  learnedSeconds,
  type StartFigures,
} from '../probe/startup-budget.ts';
import { guaranteedStartSeconds, longestStartSeconds, type ProbeTiming } from '../probe/timing.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { GivenProbe, HandlerProblem, StartBudget } from './injection.ts';

/** Seconds to start where nobody gave a number. */
const SAFETY_SECONDS = 300;

/** The probes that tell how long a container may take to start, and what is known of its past starts. */
export interface StartEvidence {
  /** The author's own liveness and readiness probe. */
  readonly liveness?: ProbeTiming | undefined;
  readonly readiness?: ProbeTiming | undefined;
  /** The liveness probe that Probewright adds. */
  readonly injectedLiveness?: ProbeTiming | undefined;
  readonly starts?: StartFigures | undefined;
}

/** A rule for slow starters that asks for a startup probe, and the seconds that it gives. */
export interface SlowStartRule extends StartBudget {
  readonly basis: Pick<GivenProbe, 'source' | 'followsDelay' | 'learned'>;
}

/**
 * The law of injection: the seconds to start that an injected startup probe guarantees at least, and the rule that
 * gives them. They are the largest of the policy's number, what the author's liveness probe guarantees, the delay of
 * the author's readiness probe, and 300 s where neither a layer nor a liveness probe of the author gives a number.
 *
 * @param written the seconds that the policy's own failureThreshold guarantees; undefined where no layer gives one
 */
export function startBudget(
  { liveness, readiness, injectedLiveness }: StartEvidence,
  asked: SlowStartRule | undefined,
  written: number | undefined,
): StartBudget {
  const numbers: StartBudget[] = [];
  if (asked !== undefined) numbers.push(asked);
  if (written !== undefined) numbers.push({ seconds: written, rule: 'failureThreshold' });
  if (liveness !== undefined) numbers.push({ seconds: guaranteedStartSeconds(liveness), rule: 'livenessProbe' });
  else if (numbers.length === 0)
    numbers.push({
      seconds: Math.max(SAFETY_SECONDS, injectedLiveness === undefined ? 0 : guaranteedStartSeconds(injectedLiveness)),
      rule: 'safety',
    });
  if (readiness !== undefined) numbers.push({ seconds: readiness.initialDelaySeconds, rule: 'readinessProbe' });
  const { seconds, rule } = numbers.reduce((most, one) => (one.seconds > most.seconds ? one : most));
  return { seconds, rule };
}

/**
 * The rule for slow starters that applies to a container: learned starts; else the seconds of a policy or annotation;
 * else the longest start that an author's liveness probe with a long enough initial delay tolerates today.
 */
export function slowStartRule(policy: ContainerPolicy, { liveness, starts }: StartEvidence): SlowStartRule | undefined {
  const { learned, startupSeconds, fromInitialDelaySeconds, probes } = policy;
  if (learned !== undefined && starts !== undefined && hasEnoughStarts(starts, learned.value)) {
    const { periodSeconds = STARTUP_PERIOD_SECONDS } = probes.startupProbe.integers;
    const seconds = learnedSeconds(starts, learned.value, periodSeconds);
    const given = startupSeconds?.value ?? 0;
    const basis = { source: learned.layer.source, learned: { figures: starts, seconds } };
    return { seconds: Math.max(seconds, given), rule: given > seconds ? 'startupSeconds' : 'learned', basis };
  }
  if (startupSeconds !== undefined) {
    const { value: seconds, layer } = startupSeconds;
    return { seconds, rule: 'startupSeconds', basis: { source: layer.source } };
  }
  if (fromInitialDelaySeconds === undefined || liveness === undefined) return undefined;
  if (liveness.initialDelaySeconds < fromInitialDelaySeconds.value) return undefined;
  const seconds = Math.max(LEAST_START_SECONDS, longestStartSeconds(liveness));
  const basis = { source: fromInitialDelaySeconds.layer.source, followsDelay: true } as const;
  return { seconds, rule: 'fromInitialDelaySeconds', basis };
}

/** Why a policy's learned budget has no effect on a container; undefined when the budget has an effect. */
export function withoutLearnedBudget(
  { learned }: ContainerPolicy,
  starts: StartFigures | undefined,
): HandlerProblem | undefined {
  if (learned === undefined || (starts !== undefined && hasEnoughStarts(starts, learned.value))) return undefined;
  const { minimumStarts } = learned.value;
  return {
    code: 'too-few-starts',
    detail: `${starts?.starts ?? 0} of ${minimumStarts} starts are known, so slowStart.learned has no effect yet`,
  };
}
