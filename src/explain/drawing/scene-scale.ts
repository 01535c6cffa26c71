import { duration } from '../../base/text/duration.ts';
import type { Scene, Segment } from '../timeline/scene.ts';

/** Where the moments of a scene are on its axis. All lanes of a scene share one scale. */
export interface SceneScale {
  /** The place of a moment, in units of length from the start of the axis. */
  readonly placeOf: (seconds: number) => number;
  /** Where time is left out, when the axis breaks. */
  readonly breakAt: number | undefined;
  /** The moments that are written on the axis, and their places. */
  readonly ticks: readonly { readonly at: number; readonly seconds: number }[];
}

/**
 * The scale of a scene: linear up to the scene's end. Later moments follow after one break, at equal distances.
 *
 * @param length length of the axis
 * @param step distance of the moments after the break
 * @param most how many parts the ticks may make
 */
export function sceneScale({ end, lanes }: Scene, length: number, step: number, most: number): SceneScale {
  const later = [...new Set(lanes.flatMap(({ segments }) => segments.map(({ to }) => to)))]
    .filter((to) => to > end && to !== Infinity)
    .sort((a, b) => a - b);
  const linear = later.length === 0 ? length : length - step * (later.length + 1);
  const placeOf = (seconds: number): number => {
    if (seconds === Infinity) return length;
    return seconds <= end ? (seconds / end) * linear : linear + step * (later.indexOf(seconds) + 1);
  };
  const interval = tickStep(end, most);
  const regular = Array.from({ length: Math.floor(end / interval) + 1 }, (_, index) => index * interval);
  return {
    placeOf,
    breakAt: later.length === 0 ? undefined : linear + step / 2,
    ticks: [...regular, ...later].map((seconds) => ({ seconds, at: placeOf(seconds) })),
  };
}

/** `0 to 28 s`, or `from 64 s on`. */
export function segmentTimes({ from, to }: Segment): string {
  return to === Infinity ? `from ${duration(from)} on` : `${from} to ${duration(to)}`;
}

/** What the axis of a scene says about itself. After a break, moments follow at equal distances. */
export function axisText({ breakAt }: SceneScale): string {
  return breakAt === undefined ? 'seconds' : 'seconds, not linear';
}

/**
 * A step in seconds that divides `end` seconds into at most `most` parts. The step is a familiar number of seconds,
 * minutes, hours or a day. A longer step is 1, 2, 5 or 10 times a power of ten.
 */
export function tickStep(end: number, most: number): number {
  const wanted = end / most;
  const familiar = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];
  const step = familiar.find((seconds) => seconds >= wanted);
  if (step !== undefined) return step;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((factor) => factor * power).find((seconds) => seconds >= wanted) ?? 10 * power;
}
