import { INT32_MAX } from '../probe/go-values.ts';
import {
  COMMAND_STARTUP_PERIOD_SECONDS,
  LEAST_START_SECONDS,
  MOST_FAILURES,
  PATIENT_TIMEOUT_SECONDS,
  PERIODS,
  roundPeriodFrom,
  roundPeriodUpTo,
  STARTUP_PERIOD_SECONDS,
} from './bounds.ts';
import {
  failureThresholdFor,
  guaranteedStartSeconds,
  longestStartSeconds,
  neverHealthySpan,
  probeTiming,
  type ProbeTiming,
} from './timing.ts';
import type { HandlerKind, ProbeInteger } from '../probe/probe.ts';

/** The integers of a probe as they will be written; absent ones are the API server's defaults. */
export type Integers = Readonly<Partial<Record<ProbeInteger, number | undefined>>>;

/** What the numbers of a startup probe depend on, beside the seconds. */
export interface StartupSetting {
  readonly handler: HandlerKind;
  /** The timeoutSeconds that the handler needs. */
  readonly timeout: number;
  /** The liveness probe beside the startup probe. It may run for one period of it after a kill (kubernetes#141155). */
  readonly gate?: ProbeTiming | undefined;
  /** The author's probe that ends a failed start today. */
  readonly today?: ProbeTiming | undefined;
  /** The author's readiness probe. Without a startup probe, it alone tells when the start is seen. */
  readonly readiness?: ProbeTiming | undefined;
}

/** The numbers of a new startup probe. It has no delay. */
export type StartupNumbers = Readonly<Record<'periodSeconds' | 'timeoutSeconds' | 'failureThreshold', number>>;

/**
 * Chooses the numbers of a new startup probe, for checks, edits and injection alike. The period is 5 s, 10 s for a
 * command, and longer only where the timeout needs that. It is shorter where the liveness probe would kill within the
 * period, where Ready would come more than 5 s later, or where a failed start would end more than a tenth later.
 *
 * The probe guarantees `seconds`, at least 10 s, and what the probe of today guarantees. Where a failed start does not
 * end too late, it guarantees the longest start that can pass today.
 */
export function startupNumbers(seconds: number, setting: StartupSetting): StartupNumbers {
  const { handler, gate, today, readiness } = setting;
  const isCommand = handler === 'exec';
  const timeoutSeconds = Math.max(setting.timeout, isCommand ? PATIENT_TIMEOUT_SECONDS : 0);
  const usual = Math.max(isCommand ? COMMAND_STARTUP_PERIOD_SECONDS : STARTUP_PERIOD_SECONDS, timeoutSeconds);
  const first = roundPeriodFrom(usual) ?? usual;
  const shortest = Math.min(isCommand ? STARTUP_PERIOD_SECONDS : SHORT_PERIOD_SECONDS, gate?.periodSeconds ?? usual);
  const shorter = PERIODS.filter((P) => P >= Math.max(shortest, timeoutSeconds) && P < first).reverse();
  const longer = first < COMMAND_STARTUP_PERIOD_SECONDS ? [COMMAND_STARTUP_PERIOD_SECONDS] : [];
  const least = Math.max(seconds, LEAST_START_SECONDS, today === undefined ? 0 : guaranteedStartSeconds(today));
  const at = (periodSeconds: number): StartupNumbers => {
    const enough = failureThresholdFor(least, 0, periodSeconds);
    const asToday = today === undefined ? 0 : failuresAsToday(today, periodSeconds, timeoutSeconds);
    return { periodSeconds, timeoutSeconds, failureThreshold: Math.max(enough, asToday) };
  };
  const open = gate === undefined ? Infinity : openGateSeconds(gate);
  const isSafe = ({ periodSeconds }: StartupNumbers): boolean => periodSeconds <= open;
  const isFit = (one: StartupNumbers): boolean =>
    isSafe(one) && one.failureThreshold <= MOST_FAILURES.startupProbe && isSeenInTime(one, readiness);
  const endsSoon = (one: StartupNumbers): boolean => endsInTimeOrMust(today, one, seconds);
  const possible = [first, ...shorter, ...longer].map(at);
  const fit = possible.find((one) => isFit(one) && endsSoon(one)) ?? possible.find(isFit) ?? possible.find(isSafe);
  // A kill in a loop is worse than a timeout that is longer than the period.
  return fit ?? at(roundPeriodUpTo(open) ?? first);
}

/** No new startup probe asks more often, unless the liveness probe does. */
export const SHORT_PERIOD_SECONDS = 2;

/** An edit makes no start slower to be seen than this, in seconds. */
export const MOST_LATER_SECONDS = 5;

/** True when the end of a start is seen at most 5 s later than by the readiness probe alone. */
export function isSeenInTime(
  { periodSeconds }: Pick<ProbeTiming, 'periodSeconds'>,
  readiness: ProbeTiming | undefined,
): boolean {
  return readiness === undefined || periodSeconds <= readiness.periodSeconds + MOST_LATER_SECONDS;
}

/** An edit makes no failed start last longer than a tenth. The factor is 11 tenths, because whole numbers are exact. */
export const ELEVEN = 11;

/** True when a failed start ends at most a tenth later, both if its probes are refused at once and if they hang. */
export function endsInTime(before: ProbeTiming, after: ProbeTiming): boolean {
  const isInTime = (was: number, is: number): boolean => 10 * is <= ELEVEN * was;
  return (
    isInTime(neverHealthySpan(before, 0).latest, neverHealthySpan(after, 0).latest) &&
    isInTime(longestStartSeconds(before), longestStartSeconds(after))
  );
}

/** The same, or true where a longer start is asked for than can pass today, or where today guarantees too little. */
export function endsInTimeOrMust(today: ProbeTiming | undefined, after: StartupNumbers, seconds: number): boolean {
  if (today === undefined || seconds > longestStartSeconds(today)) return true;
  return guaranteedStartSeconds(today) < LEAST_START_SECONDS || endsInTime(today, probeTiming(after));
}

/** The failures that guarantee the longest start of today, or as many as let a failed start end in time. */
function failuresAsToday(today: ProbeTiming, periodSeconds: number, timeoutSeconds: number): number {
  const longest = longestStartSeconds(today);
  const refused = (ELEVEN * neverHealthySpan(today, 0).latest) / 10;
  const hanging = (ELEVEN * longest) / 10 - timeoutSeconds;
  const inTime = Math.floor(Math.min(refused, hanging) / periodSeconds);
  return Math.min(failureThresholdFor(longest, 0, periodSeconds), inTime, MOST_FAILURES.startupProbe);
}

/**
 * Seconds that a liveness probe gives a start, or can give. An edit may remove its delay. With one failure, advice
 * raises the failures, up to the most that it proposes, and injection has the delay alone.
 */
function openGateSeconds({ initialDelaySeconds: D, periodSeconds: P, failureThreshold: F }: ProbeTiming): number {
  if (F > 1) return (F - 1) * P;
  return Math.min((MOST_FAILURES.livenessProbe - 1) * P, D > 1 ? D - 1 : Infinity);
}

/**
 * The numbers of a startup probe that guarantee a time to start: the given ones, with a failureThreshold that is large
 * enough. The period grows only where no failureThreshold of the API (int32) is.
 */
export function numbersFor(integers: Integers, seconds: number): Integers {
  const timing = probeTiming(integers);
  if (guaranteedStartSeconds(timing) >= seconds) return integers;
  const { initialDelaySeconds, periodSeconds } = timing;
  const longest = Math.ceil((seconds - Math.max(0, initialDelaySeconds - 1)) / (INT32_MAX - 1));
  if (longest > periodSeconds) return { ...integers, periodSeconds: longest, failureThreshold: INT32_MAX };
  return { ...integers, failureThreshold: failureThresholdFor(seconds, initialDelaySeconds, periodSeconds) };
}

/**
 * The numbers with a period that is safe after a liveness kill. Since Kubernetes 1.35, the liveness probe then runs
 * until the startup probe's next tick, up to P later (kubernetes/kubernetes#141155). It must not kill within that time:
 * P <= max(0, D-1) + (F-1)*P of the liveness probe. The failureThreshold grows, so that the time to start stays.
 * Undefined where nothing must change, or no round period is short enough.
 *
 * @param least the seconds to start that the law of injection asks for
 */
export function safeAfterRestart(timing: ProbeTiming, liveness: ProbeTiming, least: number): Integers | undefined {
  const open = guaranteedStartSeconds(liveness);
  const periodSeconds = roundPeriodUpTo(open);
  if (periodSeconds === undefined || timing.periodSeconds <= open) return undefined;
  const safe = withShorterPeriod(timing, periodSeconds);
  return guaranteedStartSeconds({ ...timing, ...safe }) < least ? undefined : safe;
}

/** The numbers of a startup probe with a shorter period and the failures that keep its time to start. */
export function withShorterPeriod(
  timing: ProbeTiming,
  periodSeconds: number,
): { readonly periodSeconds: number; readonly failureThreshold: number } {
  const { initialDelaySeconds, failureThreshold: own } = timing;
  const needed = failureThresholdFor(guaranteedStartSeconds(timing), initialDelaySeconds, periodSeconds);
  return { periodSeconds, failureThreshold: Math.max(needed, own) };
}
