import { describe, expect, it } from 'vitest';
import { podName, recording, type Batch } from '../../kubelet/recordings.ts';
import { learnedStarts, type LearnedStart } from './recorded-starts.ts';

/** The number of starts that a real kubelet 1.36.2 lets the observer learn, and of starts that its probes ended. */
const LEARNED: readonly (readonly [Batch, measured: number, killed: number])[] = [
  ['b1', 73, 77],
  ['g1', 80, 0],
  ['g2gate', 21, 0],
  ['kr1', 12, 0],
  ['m3', 31, 7],
  ['obs2', 27, 0],
  // Four Pods of one age, alone on their node, open their gates in the same 0.2 s: as after a restart of the kubelet.
  ['same', 0, 0],
];

const isMeasured = ({ within }: LearnedStart): boolean => within !== undefined;

/** True when the bounds of a learned start hold for what the container saw. */
function isInBounds({ seconds, within, truth }: LearnedStart): boolean {
  return within === undefined ? truth > seconds : truth <= seconds && truth >= seconds - within;
}

describe('a recorded watch of Pods', () => {
  it.each(LEARNED)('lets starts of %s be learned, each within its bounds', (batch, measured, killed) => {
    const learned = learnedStarts(batch);
    expect(learned.filter((one) => !isInBounds(one))).toEqual([]);
    expect([learned.filter(isMeasured).length, learned.filter((one) => !isMeasured(one)).length]).toEqual([
      measured,
      killed,
    ]);
  });
});

describe.each(['kr1', 'obs2'] as const)('a restart of the kubelet in %s', (batch) => {
  const { restart = { stop: NaN, start: NaN }, pods } = recording(batch);
  const lasted = (one: LearnedStart): boolean =>
    one.startedAt < restart.stop && one.startedAt + one.seconds > restart.start;
  const starting = [...new Set(pods.map(podName))].filter((name) => /^(?:k-)?(?:start|never)/.test(name));

  it('lets no start be learned that lasted meanwhile, and starts before and after it', () => {
    const learned = learnedStarts(batch);
    expect(learned.filter(lasted)).toEqual([]);
    expect(learned.filter((one) => one.startedAt + one.seconds < restart.stop).length).toBeGreaterThan(5);
    const after = learned.filter((one) => one.startedAt > restart.start && one.truth > 59);
    expect(after.length).toBeGreaterThanOrEqual(2);
  });

  it('is recognised from each two Pods that are starting', () => {
    expect(starting.length).toBeGreaterThanOrEqual(11);
    for (const [index, one] of starting.entries()) {
      const other = starting[(index * 7 + 5) % starting.length];
      if (one === other) continue;
      const learned = learnedStarts(batch, (pod) => pod === one || pod === other);
      expect(learned.filter(lasted)).toEqual([]);
    }
  });
});
