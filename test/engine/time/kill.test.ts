import { describe, expect, it } from 'vitest';
import { longestGraceWithin, longestKillSeconds, type Kill } from '../../../src/engine/time/kill.ts';
import { cases } from '../../support/cases.ts';

describe('how a container is stopped', () => {
  it.each(cases('grace-period', 'takes at most') as [Kill, number][])('%o takes at most %i s', (kill, seconds) =>
    expect(longestKillSeconds(kill)).toBe(seconds),
  );

  it.each([true, false])(
    'gives the longest grace period that is short enough, with a preStop hook: %s',
    (hasPreStop) => {
      const kill = { graceSeconds: 3600, hasPreStop };
      for (let seconds = -5; seconds < 50; seconds++) {
        const longest = longestGraceWithin(seconds, kill);
        const takes = (graceSeconds: number): number => longestKillSeconds({ graceSeconds, hasPreStop });
        if (longest === undefined) expect(takes(1)).toBeGreaterThan(seconds);
        else expect([takes(longest) <= seconds, takes(longest + 1) > seconds]).toEqual([true, true]);
      }
    },
  );
});
