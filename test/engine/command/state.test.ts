import { describe, expect, it } from 'vitest';
import { FAILED, OUTPUT, States, valueOf, withVariable } from '../../../src/engine/command/state.ts';
import { START } from './start-state.ts';

const literal = (text: string) => ({ text, isLiteral: true });
const replaced = (text: string) => ({ text, isLiteral: false });

describe('points of a script', () => {
  it('that differ only in what ran are one, with what ran on both', () => {
    const states = new States([{ ...START, ran: 0b011n }]);
    expect(states.add({ ...START, ran: 0b110n })).toBe(true);
    expect([...states].map(({ ran }) => ran)).toEqual([0b010n]);
    expect(states.add({ ...START, ran: 0b111n })).toBe(false);
  });

  it('forget their variables when there are too many', () => {
    const states = new States();
    for (let at = 0; at < 60; at++) states.add(withVariable(START, 'x', String(at)));
    expect(states.size).toBeLessThanOrEqual(48);
    expect(states.has(START)).toBe(true);
  });
});

describe('the value of a word', () => {
  const state = withVariable({ ...START, status: FAILED }, 'n', '3');
  it.each([
    [literal('a'), 'a'],
    [replaced('$?'), FAILED],
    [replaced('$n'), '3'],
    [replaced('${n}'), '3'],
    [replaced('$((n + 1))'), '4'],
    [replaced('$(( 5 - 2 ))'), '3'],
    [replaced('$x'), undefined],
    [replaced('a$n'), undefined],
    [literal('a'.repeat(101)), undefined],
  ])('%j', (word, value) => expect(valueOf(word, state)).toBe(value));

  it('of a command is what a program prints, if it prints', () => {
    expect(valueOf(replaced('$(a)'), state, true)).toBe(OUTPUT);
    expect(valueOf(replaced('$(a)'), state)).toBeUndefined();
  });
});
