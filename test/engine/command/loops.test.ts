import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../../../src/engine/command/meaning.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

const outcomes = (script: string): string => {
  const { canSucceed, canFail } = outcomesOf(new ExecCommand(['sh', '-c', script]));
  return `${canSucceed} ${canFail}`;
};

describe('a loop can succeed, and can fail', () => {
  it.each([
    ['while true; do a && exit 0; done', 'yes unknown'],
    ['while a; do :; done', 'yes unknown'],
    ['until a; do sleep 1; done', 'yes unknown'],
    ['for x in 1 2 3; do a && exit 0; done; exit 1', 'yes yes'],
    ['for x in 1 2; do a; done; true', 'yes no'],
    ['for x in $(b); do a || exit 1; done; exit 1', 'no yes'],
    ['n=0; while [ $n -lt 3 ]; do n=$((n+1)); done; [ $n -eq 3 ]', 'yes no'],
    ['for x in; do exit 1; done', 'yes no'],
    ['while true; do break; done', 'yes no'],
    ['for x in a b; do for y in c; do continue 2; done; exit 1; done', 'yes no'],
  ])('%j: %s', (script, expected) => expect(outcomes(script)).toBe(expected));
});
