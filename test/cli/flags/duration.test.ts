import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/cli/flags/value-types.ts';

const day = 86_400_000;

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['500ms', 500],
    ['1h30m', 5_400_000],
    ['7d', 7 * day],
    ['1m5ms', 60_005],
  ])('%s is %i ms', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each(['', '5', 's', '1.5h', '-1s', '1h ', '1 h', '5y', '1h-2m'])('%j is none', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );

  it('is told in the largest units that it has', () =>
    expect([0, 500, 60_000, 90_000, 25 * 3_600_000].map(formatDuration)).toEqual([
      '0s',
      '500ms',
      '1m',
      '1m30s',
      '1d1h',
    ]));
});
