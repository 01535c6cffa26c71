import { expect, it } from 'vitest';
import { resolvePlainScalar } from '../../../src/yaml/reading/scalars.ts';

const MOST = 2 ** 64;

it.each([
  [`0b${'1'.repeat(64)}`, MOST],
  [`0b1${'0'.repeat(63)}`, 2 ** 63],
  [`0b${'0'.repeat(100)}1`, 1],
  [`-0b1${'0'.repeat(63)}`, -(2 ** 63)],
  ['0xffffffffffffffff', MOST],
  ['01777777777777777777777', MOST],
  ['18446744073709551615', MOST],
])('%s has 64 binary digits at most, and is an integer', (text, value) => {
  expect(resolvePlainScalar(text)).toBe(value);
});

it.each([`0b1${'0'.repeat(64)}`, `-0b1${'0'.repeat(62)}1`, `+0b1${'0'.repeat(63)}`, '0x10000000000000000'])(
  '%s has more than 64 bits, and stays a text',
  (text) => {
    expect(resolvePlainScalar(text)).toBe(text);
  },
);
