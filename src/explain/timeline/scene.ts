/**
 * The meaning of a stretch of time. safe: no probe kills yet; unsure: may pass, may be killed; stopping: SIGTERM has
 * been sent, the grace period runs; dead: killed for sure; unnoticed: broken, and no probe has given up yet; idle: no
 * traffic; maybe: perhaps traffic; serving: traffic.
 */
export type Tone = 'safe' | 'unsure' | 'stopping' | 'dead' | 'unnoticed' | 'idle' | 'maybe' | 'serving';

/** A stretch of a lane, in seconds; to Infinity when nothing ends it. */
export interface Segment {
  readonly tone: Tone;
  readonly from: number;
  readonly to: number;
  /** A few words, for the bar itself where there is room. */
  readonly label: string;
  /** The meaning, in a sentence for a reader who knows nothing of probes. */
  readonly caption: string;
}

/** One thing followed over time. Its segments follow each other without a gap. */
export interface Lane {
  readonly title: string;
  readonly segments: readonly Segment[];
  /** When the kill begins at the latest, in seconds. */
  readonly stopAt?: number;
  /** How the kill begins: with SIGTERM, or with the preStop hook, which SIGTERM follows. */
  readonly stopSign?: 'SIGTERM' | 'preStop';
}

/** Lanes on one axis from second 0. */
export interface Scene {
  readonly title: string;
  /** The event at second 0. */
  readonly origin: string;
  /** The end of the axis, in seconds. Longer segments are cut off there. */
  readonly end: number;
  readonly lanes: readonly Lane[];
  /** Measured starts, in seconds. Absent when none are known. */
  readonly starts?: MeasuredStarts;
}

/** Starts that the observer has measured. */
export interface MeasuredStarts {
  readonly title: string;
  readonly seconds: readonly number[];
  /** The meaning, in a sentence. */
  readonly caption: string;
}

/** The segments that take any time. */
export function nonEmpty(segments: readonly Segment[]): Segment[] {
  return segments.filter(({ from, to }) => to > from);
}
