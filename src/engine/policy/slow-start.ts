import { INT32_MAX } from '../probe/go-values.ts';
import { DEFAULT_LEARNED } from '../probe/learned-budget.ts';
import type { LearnedSettings } from '../probe/learned-budget.ts';
import type { Reader } from './reader.ts';

/** A layer's settings for slow starters. Null removes a lower layer's value. */
export interface SlowStart {
  readonly startupSeconds?: number | null;
  readonly fromInitialDelaySeconds?: number | null;
  /** How a budget follows from learned start times. An empty object switches learned budgets on. */
  readonly learned?: LearnedLayer | null;
}

/** The numbers that one layer sets. */
export type LearnedLayer = Readonly<Partial<LearnedSettings>>;

/** The range of a number in `slowStart.learned`; the same in the CRDs. */
export interface LearnedBound {
  readonly minimum: number;
  readonly maximum: number;
  readonly isWhole: boolean;
}

/** A Pod that takes a day to start is beyond all probes. */
const LONGEST_LEARNED_SECONDS = 86_400;

/** A profile has at most 30 starts of a container, so a policy that asks for more would never learn. */
export const MOST_KEPT_STARTS = 30;

/** Each number of `slowStart.learned`, in the order of the docs. */
export const LEARNED_BOUNDS: Readonly<Record<keyof LearnedSettings, LearnedBound>> = {
  margin: { minimum: 1, maximum: 10, isWhole: false },
  minimumStarts: { minimum: 1, maximum: MOST_KEPT_STARTS, isWhole: true },
  minimumSeconds: { minimum: 1, maximum: LONGEST_LEARNED_SECONDS, isWhole: true },
  maximumSeconds: { minimum: 1, maximum: LONGEST_LEARNED_SECONDS, isWhole: true },
};
export const LEARNED_FIELDS = Object.keys(LEARNED_BOUNDS) as readonly (keyof LearnedSettings)[];

/** Reads `spec.slowStart`. */
export function readSlowStart(reader: Reader): SlowStart | undefined {
  if (reader.object(['startupSeconds', 'fromInitialDelaySeconds', 'learned']) === undefined) return undefined;
  const slowStart: { -readonly [Field in keyof SlowStart]: SlowStart[Field] } = {};
  for (const field of ['startupSeconds', 'fromInitialDelaySeconds'] as const) {
    const place = reader.at(field);
    if (place.isAbsent) continue;
    const value = place.isNull ? null : place.integer(1, INT32_MAX);
    if (value !== undefined) slowStart[field] = value;
  }
  const place = reader.at('learned');
  if (place.isAbsent) return slowStart;
  const learned = place.isNull ? null : readLearned(place);
  if (learned !== undefined) slowStart.learned = learned;
  return slowStart;
}

function readLearned(reader: Reader): LearnedLayer | undefined {
  if (reader.object(LEARNED_FIELDS) === undefined) return undefined;
  const learned: { -readonly [Field in keyof LearnedLayer]: LearnedLayer[Field] } = {};
  for (const field of LEARNED_FIELDS) {
    const place = reader.at(field);
    if (place.isAbsent) continue;
    const { minimum, maximum, isWhole } = LEARNED_BOUNDS[field];
    const value = isWhole ? place.integer(minimum, maximum) : place.number(minimum, maximum);
    if (value !== undefined) learned[field] = value;
  }
  const { minimumSeconds, maximumSeconds } = learned;
  if (minimumSeconds !== undefined && maximumSeconds !== undefined && minimumSeconds > maximumSeconds)
    reader.at('minimumSeconds').report(`must be at most maximumSeconds (${maximumSeconds}), not ${minimumSeconds}`);
  return learned;
}

/** The settings after a higher layer: its numbers win one by one. */
export function withLearnedLayer(lower: LearnedSettings | undefined, layer: LearnedLayer): LearnedSettings {
  return { ...(lower ?? DEFAULT_LEARNED), ...layer };
}
