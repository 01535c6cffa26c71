import { INT32_MAX } from './go-values.ts';
import { failureThresholdFor, guaranteedStartSeconds, probeTiming, type ProbeTiming } from './timing.ts';
import type { ProbeInteger } from './probe.ts';

/** The integers of a probe as they will be written; absent ones are the API server's defaults. */
export type Integers = Readonly<Partial<Record<ProbeInteger, number | undefined>>>;

/**
 * The numbers of a startup probe that guarantees a time to start: the given ones, with a failureThreshold that is large
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
 * Undefined where nothing must change, or no whole second is short enough.
 *
 * @param least the seconds to start that the law of injection asks for
 */
export function safeAfterRestart(timing: ProbeTiming, liveness: ProbeTiming, least: number): Integers | undefined {
  const longest = guaranteedStartSeconds(liveness);
  if (longest < 1 || timing.periodSeconds <= longest) return undefined;
  const needed = failureThresholdFor(guaranteedStartSeconds(timing), timing.initialDelaySeconds, longest);
  const failureThreshold = Math.max(needed, timing.failureThreshold);
  const safe = { ...timing, periodSeconds: longest, failureThreshold };
  return guaranteedStartSeconds(safe) < least ? undefined : { periodSeconds: longest, failureThreshold };
}
