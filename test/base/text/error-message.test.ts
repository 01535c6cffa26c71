import { expect, it } from 'vitest';
import { messageOf } from '../../../src/base/text/error-message.ts';

it('gives the message of an error, without the name of its class', () =>
  expect(messageOf(new TypeError('no such file'))).toBe('no such file'));

it('gives anything else that was thrown as text', () => {
  expect(messageOf('plain text')).toBe('plain text');
  expect(messageOf(undefined)).toBe('undefined');
});
