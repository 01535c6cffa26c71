import { describe, expect, it } from 'vitest';
import { noteLearnedTimes, otherTimesLine, type LearnedTimes } from '../../../src/observer/starts/learned-times.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const SOURCE = 'learned: 8 starts, longest 12 s, 31 s to start; ProbePolicy/apps/static';
const pod = (failureThreshold: number, source = SOURCE): JsonObject => ({
  metadata: { annotations: { 'probewright.dev/injected': JSON.stringify({ app: { startupProbe: source } }) } },
  spec: {
    containers: [{ name: 'app', startupProbe: { periodSeconds: 5, failureThreshold } }, { name: 'other' }],
  },
});

function timesOf(...pods: readonly JsonObject[]): LearnedTimes {
  const times: LearnedTimes = new Map();
  for (const each of pods) noteLearnedTimes(each, times);
  return times;
}

describe('the learned times of live Pods', () => {
  it('are those that the startup probes of the Pods guarantee', () =>
    expect(timesOf(pod(8), pod(8), pod(14))).toEqual(
      new Map([
        [
          'app',
          new Map([
            [35, 2],
            [65, 1],
          ]),
        ],
      ]),
    ));

  it.each([
    ['whose probe follows from no start', pod(8, 'ProbePolicy/apps/static')],
    ['whose annotation anybody wrote', pod(8, 'x')],
    ['without the annotation', { ...pod(8), metadata: {} }],
    ['without the probe', { ...pod(8), spec: { containers: [{ name: 'app' }] } }],
  ])('have no time of a Pod %s', (_, each) => expect(timesOf(each).size).toBe(0));

  it('are told where new Pods get other times', () => {
    const times = timesOf(pod(8), pod(8), pod(14));
    expect(otherTimesLine(times, () => 65)).toBe(
      '2 Pods have 35 s to start in container "app", as learned when created.',
    );
    expect(otherTimesLine(times, () => 35)).toBe(
      '1 Pod has 65 s to start in container "app", as learned when created.',
    );
    expect(otherTimesLine(timesOf(pod(8)), () => 35)).toBeUndefined();
  });
});
