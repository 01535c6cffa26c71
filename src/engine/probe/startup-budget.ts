/** The least start time to guarantee, in seconds: for startup-budget and for startup probes of ours. */
export const LEAST_START_SECONDS = 10;

/** Period of our startup probes, in seconds: short, because a started container waits for the next probe. */
export const STARTUP_PERIOD_SECONDS = 5;

/** The probe that showed the end of a start. Readiness may also wait for other services. */
export const START_BASES = ['startup', 'readiness'] as const;

/** The known past starts of a container. Times are in seconds. */
export interface StartFigures {
  /** Starts of new Pods whose time is known. Restarts in place do not count: their image and caches are warm. */
  readonly starts: number;
  /** The longest known start, first starts and restarts alike; 0 without one. */
  readonly longestSeconds: number;
  /** The largest time that a probe granted before it killed a container that was still starting; 0 without one. */
  readonly boundSeconds: number;
  /** Each measured start, oldest first. Commands draw them; the webhook does not keep them. */
  readonly seconds?: readonly number[];
}

/** The settings of a policy that writes `learned: {}`. The numbers are Probewright's own. */
export const DEFAULT_LEARNED = { margin: 1.5, minimumStarts: 5, minimumSeconds: 30, maximumSeconds: 1800 };

/** How a budget follows from past starts. Policies set the four numbers in `slowStart.learned`. */
export type LearnedSettings = Readonly<typeof DEFAULT_LEARNED>;

/** Probe periods may lie this much later than the whole seconds that the kubelet reports, at both ends of a start. */
const ROUNDING_SECONDS = 2;

/** A killed start needs more than its bound, and nobody knows how much more. */
const BOUND_FACTOR = 2;

/**
 * The seconds that past starts ask for: `max(margin * longest + P + 2, 2 * bound)`, within the limits, in whole
 * seconds. The longest start counts and no percentile: starts are few, and a budget that is too short kills the
 * container in a loop. A budget that is too long only delays the restart of a dead start.
 * @param periodSeconds period of the startup probe, which sees the end of a start up to one period late
 */
export function learnedSeconds(figures: StartFigures, settings: LearnedSettings, periodSeconds: number): number {
  const { margin, minimumSeconds, maximumSeconds } = settings;
  const fromStarts = margin * figures.longestSeconds + periodSeconds + ROUNDING_SECONDS;
  const needed = Math.ceil(Math.max(fromStarts, BOUND_FACTOR * figures.boundSeconds));
  // Layers set the limits one by one, so the lower limit may be above the upper one. More time is the safer mistake.
  return Math.max(minimumSeconds, Math.min(maximumSeconds, needed));
}

/** The same seconds; undefined while too few starts are known. Without arguments: by the default settings. */
export function learnedBudget(
  figures: StartFigures,
  settings: LearnedSettings = DEFAULT_LEARNED,
  periodSeconds = STARTUP_PERIOD_SECONDS,
): number | undefined {
  return hasEnoughStarts(figures, settings) ? learnedSeconds(figures, settings, periodSeconds) : undefined;
}

/** True when enough first starts are known for a budget. */
export function hasEnoughStarts(figures: StartFigures, { minimumStarts }: LearnedSettings): boolean {
  return figures.starts >= minimumStarts;
}
