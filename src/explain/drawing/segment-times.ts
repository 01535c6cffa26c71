import { duration } from '../../base/text/duration.ts';
import type { Segment } from '../timeline/scene.ts';

/** `0 to 28 s`, or `from 64 s on`. */
export function segmentTimes({ from, to }: Segment): string {
  return to === Infinity ? `from ${duration(from)} on` : `${from} to ${duration(to)}`;
}
