import { expect, it } from 'vitest';
import { resolvePlainScalar, resolveTaggedScalar } from '../../../src/yaml/reading/scalars.ts';

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

it.each([
  ['.5', 0.5],
  ['.5_0', 0.5],
  ['.5__0', '.5__0'],
  ['._5', '._5'],
  ['.5e3', 500],
  ['.', '.'],
  ['1_000', 1000],
  ['1__0_', 10],
  ['_1', '_1'],
  ['1.5', 1.5],
  ['1.', 1],
  ['-1.5e-1', -0.15],
  ['+.5', 0.5],
  ['1e400', '1e400'],
  ['.1e400', '.1e400'],
  ['010', 8],
  ['0o10', 8],
  ['08', 8],
  ['-0', 0],
  ['-0.0', -0],
  ['0x_1F', 31],
  ['1.2.3', '1.2.3'],
  ['1a', '1a'],
  ['-', '-'],
])('the plain text %j is read as %j', (text, value) => expect(resolvePlainScalar(text)).toBe(value));

it.each([
  ['int', '5', 5],
  ['int', '5.0', 5],
  ['int', '5.5', undefined],
  ['int', 'x', undefined],
  ['float', '5', 5],
  ['float', '5.5', 5.5],
  ['float', 'yes', undefined],
  ['bool', 'yes', true],
  ['bool', '1', undefined],
  ['null', '~', null],
  ['null', 'x', undefined],
  ['str', '5', '5'],
  ['binary', 'YQ==', 'a'],
  ['binary', 'Y\nQ=\r=', 'a'],
  ['binary', 'YQ', undefined],
])('with the tag !!%s, %j is %j', (kind, text, value) => {
  expect(resolveTaggedScalar(`tag:yaml.org,2002:${kind}`, text)).toBe(value);
  expect(resolveTaggedScalar(`tag:example.test,2002:${kind}`, text)).toBe(text);
});
