import { SAFETY_SECONDS, STARTUP_PERIOD_SECONDS } from './bounds.ts';

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
  /** Each measured start of any image, oldest first. Commands draw them; the webhook does not keep them. */
  readonly seconds?: readonly number[];
}

/** The known past starts of a container's image: name, tag and digest. A new version may need longer. */
export interface KnownStarts extends StartFigures {
  /** The starts of all images of the container, if there are other images. */
  readonly ofAll?: StartFigures;
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
 * container in a loop. A budget that is too long only delays the restart of a dead start. So no upper limit is below a
 * start that has succeeded.
 * @param periodSeconds period of the startup probe, which sees the end of a start up to one period late
 */
export function learnedSeconds(figures: StartFigures, settings: LearnedSettings, periodSeconds: number): number {
  const { margin, minimumSeconds, maximumSeconds } = settings;
  const fromStarts = margin * figures.longestSeconds + periodSeconds + ROUNDING_SECONDS;
  const needed = Math.ceil(Math.max(fromStarts, BOUND_FACTOR * figures.boundSeconds));
  // Layers set the limits one by one, so the lower limit may be above the upper one. More time is the safer mistake.
  return Math.max(minimumSeconds, figures.longestSeconds, Math.min(maximumSeconds, needed));
}

/** What past starts give a container. */
export interface LearnedTime {
  /** The starts that count. */
  readonly figures: StartFigures;
  readonly seconds: number;
  /** Too few starts of the image are known: the figures are those of all images. */
  readonly isOfAllImages?: true;
}

/**
 * The time that past starts give to a container. With enough starts of its image, that is the formula. A new image gets
 * at least `least`, and what the starts of all images ask for. A kill while starting counts at once, and so does a
 * start that was longer than the safety. Undefined while too little is known.
 *
 * @param least the seconds for an image of which too few starts are known
 */
export function learnedTime(
  known: KnownStarts,
  settings: LearnedSettings = DEFAULT_LEARNED,
  periodSeconds = STARTUP_PERIOD_SECONDS,
  least = SAFETY_SECONDS,
): LearnedTime | undefined {
  if (hasEnoughStarts(known, settings))
    return { figures: known, seconds: learnedSeconds(known, settings, periodSeconds) };
  const figures = known.ofAll ?? known;
  const { longestSeconds, boundSeconds } = figures;
  const isLong = boundSeconds > 0 || longestSeconds > SAFETY_SECONDS;
  if (!hasEnoughStarts(figures, settings) && !isLong) return undefined;
  return { figures, seconds: Math.max(least, learnedSeconds(figures, settings, periodSeconds)), isOfAllImages: true };
}

/** True when enough first starts are known for a budget. */
export function hasEnoughStarts(figures: StartFigures, { minimumStarts }: LearnedSettings): boolean {
  return figures.starts >= minimumStarts;
}
