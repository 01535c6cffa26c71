import { expect, it } from 'vitest';
import { answerOnce, type Answers } from '../../src/base/once.ts';

it('a question is answered once, also where the answer is undefined, and each question has its own answer', () => {
  const answers: Answers = new Map();
  let asked = 0;
  const nothing = (subject: string): undefined => void (asked += subject.length);
  const length = ({ length }: string): number => length;
  expect([1, 2].map(() => answerOnce(answers, 'one', nothing))).toEqual([undefined, undefined]);
  expect(asked).toBe(3);
  expect(answerOnce(answers, 'one', length)).toBe(3);
});
