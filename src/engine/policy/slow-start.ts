import { INT32_MAX } from '../probe/go-values.ts';
import type { LearnedSettings } from '../probe/startup-budget.ts';
import { given, nullable, type FieldTable, type Reader } from './reader.ts';

export interface SlowStart {
  readonly startupSeconds?: number | null;
  readonly fromInitialDelaySeconds?: number | null;
  /** How a budget follows from learned start times. An empty object switches learned budgets on. */
  readonly learned?: Partial<LearnedSettings> | null;
}

/** A Pod that takes a day to start is beyond all probes. */
const LONGEST_LEARNED_SECONDS = 86_400;

/** A profile has at most 30 starts of a container, so a policy that asks for more would never learn. */
export const MOST_KEPT_STARTS = 30;

/** The range of each number in `slowStart.learned`, in the order of the docs; the same in the CRDs. */
export const LEARNED_BOUNDS = {
  margin: { minimum: 1, maximum: 10, isWhole: false },
  minimumStarts: { minimum: 1, maximum: MOST_KEPT_STARTS, isWhole: true },
  minimumSeconds: { minimum: 1, maximum: LONGEST_LEARNED_SECONDS, isWhole: true },
  maximumSeconds: { minimum: 1, maximum: LONGEST_LEARNED_SECONDS, isWhole: true },
} as const satisfies Record<keyof LearnedSettings, object>;

export function readSlowStart(reader: Reader): SlowStart | undefined {
  const seconds = nullable((place) => place.integer(1, INT32_MAX));
  return reader.fields<SlowStart>({
    startupSeconds: seconds,
    fromInitialDelaySeconds: seconds,
    learned: nullable(readLearned),
  });
}

const LEARNED_READERS = Object.fromEntries(
  Object.entries(LEARNED_BOUNDS).map(([field, { minimum, maximum, isWhole }]) => [
    field,
    given((place) => (isWhole ? place.integer(minimum, maximum) : place.number(minimum, maximum))),
  ]),
) as FieldTable<LearnedSettings>;

function readLearned(reader: Reader): SlowStart['learned'] {
  const learned = reader.fields(LEARNED_READERS);
  const { minimumSeconds = 0, maximumSeconds = Infinity } = learned ?? {};
  if (minimumSeconds > maximumSeconds)
    reader.at('minimumSeconds').report(`must be at most maximumSeconds (${maximumSeconds}), not ${minimumSeconds}`);
  return learned;
}
