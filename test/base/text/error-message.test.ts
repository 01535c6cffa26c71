import { expect, it } from 'vitest';
import { CurrentProblem, messageOf } from '../../../src/base/text/error-message.ts';

it('gives the message of an error, without the name of its class', () =>
  expect(messageOf(new TypeError('no such file'))).toBe('no such file'));

it('gives anything else that was thrown as text', () => {
  expect(messageOf('plain text')).toBe('plain text');
  expect(messageOf(undefined)).toBe('undefined');
});

it('a problem is news when it begins, changes and ends, and not in between', () => {
  const problem = new CurrentProblem();
  const looks = [undefined, 'no route', 'no route', 'refused', undefined, undefined, 'refused'];
  expect(looks.map((look) => problem.note(look))).toEqual([
    undefined,
    'began',
    undefined,
    'changed',
    'ended',
    undefined,
    'began',
  ]);
});

it('the text of a problem is that of the last look', () => {
  const problem = new CurrentProblem();
  expect(problem.text).toBeUndefined();
  problem.note('no route');
  problem.note('refused');
  expect(problem.text).toBe('refused');
  problem.note(undefined);
  expect(problem.text).toBeUndefined();
});
