import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '../../../src/base/text/duration.ts';

describe('parseInstant', () => {
  it.each([
    ['2027-01-31T00:00:00Z', Date.UTC(2027, 0, 31)],
    ['2027-01-31T01:00:00+01:00', Date.UTC(2027, 0, 31)],
    ['2027-01-30T18:30:00-05:30', Date.UTC(2027, 0, 31)],
    ['2028-02-29T23:59:59.9994Z', Date.UTC(2028, 1, 29, 23, 59, 59, 999)],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
    ['9999-12-31T23:59:59Z', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('reads %s', (text, instant) => expect(parseInstant(text)).toBe(instant));

  it.each([
    '2027-01-31',
    '2027-01-31T00:00:00',
    '2027-01-31T00:00Z',
    '2027-01-31 00:00:00Z',
    '2027-01-31t00:00:00z',
    '2027-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2027-04-31T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-31T24:00:00Z',
    '2016-12-31T23:59:60Z',
    '2027-01-31T00:00:00+24:00',
    '2027-01-31T00:00:00,5Z',
    '02027-01-31T00:00:00Z',
    ' 2027-01-31T00:00:00Z',
    '2027-01-31T00:00:00Z\n',
    'tomorrow',
    '',
  ])('does not read %j', (text) => expect(parseInstant(text)).toBeUndefined());

  it('reads what formatInstant writes', () => {
    const instants = fc.integer({ min: Date.UTC(0, 0, 1), max: Date.UTC(9999, 11, 31) });
    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseInstant(formatInstant(instant))).toBe(instant);
      }),
    );
  });
});
