import { describe, expect, it } from 'vitest';
import { waitsOf } from '../../../src/engine/command/waits.ts';
import { ExecCommand } from '../../../src/engine/command/words.ts';

/** The seconds that a command always takes, and the longest limit in it. */
function read(...argv: readonly string[]): readonly [least: number | undefined, limit: number | undefined] {
  const { least, limit } = waitsOf(new ExecCommand(argv));
  return [least?.seconds, limit?.seconds];
}

const script = (text: string): ReturnType<typeof read> => read('/bin/sh', '-ec', text);

describe('the time in the words of a command', () => {
  it.each([
    ['5', 5],
    ['0.5', 0.5],
    ['.5', 0.5],
    ['5s', 5],
    ['1.5m', 90],
    ['1h', 3600],
    ['0', undefined],
    ['-1', undefined],
    ['infinity', undefined],
    ['$N', undefined],
  ])('reads %s as %s seconds', (text, seconds) => expect(read('sleep', text)).toEqual([seconds, undefined]));

  it('adds several sleeps, and the words of one', () => {
    expect(read('sleep', '1', '2s')).toEqual([3, undefined]);
    expect(script('sleep 1\nsleep 2; true')).toEqual([3, undefined]);
  });

  it.each(['(', '{ ', 'if ', 'while ', 'for x in a; do ', 'case x in *) ', 'f() '])(
    'says nothing of a script with thousands of "%s"',
    (opening) => {
      expect(script(`sleep 2; ${opening.repeat(4000)}`)).toEqual([undefined, undefined]);
      expect(script(`${opening.repeat(4000)} sleep 2`)).toEqual([undefined, undefined]);
    },
  );

  it('reads a script with thousands of "! "', () =>
    expect(script(`${'! '.repeat(4000)} sleep 2`)).toEqual([2, undefined]));

  it('ends a sleep, a request and a script with the timeout in front of it', () => {
    expect(read('timeout', '3', 'sleep', '5')).toEqual([3, undefined]);
    expect(read('timeout', '9', 'sleep', '5')).toEqual([5, undefined]);
    expect(read('timeout', '3', 'curl', '-m', '5', 'localhost')).toEqual([undefined, 3]);
    expect(read('timeout', '9', 'curl', '-m', '5', 'localhost')).toEqual([undefined, 5]);
    expect(read('timeout', '3', 'sh', '-c', 'sleep 5; curl -m 9 localhost')).toEqual([3, 3]);
    expect(read('timeout', '--kill-after', '1', '3', 'true')).toEqual([undefined, 3]);
  });

  it('reads the last limit of a client, in each form', () => {
    for (const words of ['-m 5', '-m5', '-sm5', '--max-time 5', '--max-time=5', '-m 9 -m 5'])
      expect(read('curl', ...words.split(' '), 'localhost'), words).toEqual([undefined, 5]);
    for (const words of ['-T 5', '-T5', '-qT5', '--timeout=5', '--timeout 5'])
      expect(read('wget', ...words.split(' '), 'localhost'), words).toEqual([undefined, 5]);
  });

  it('counts the sleeps that a success needs, and no other', () => {
    expect(script('curl localhost && sleep 5')).toEqual([5, undefined]);
    expect(script('test -f a || exit 1; sleep 5')).toEqual([5, undefined]);
    expect(script('if test -f a; then exit 1; fi; sleep 5')).toEqual([5, undefined]);
    expect(script('(sleep 5; curl localhost)')).toEqual([5, undefined]);
    expect(script('test -f a || (sleep 5; test -f a); sleep 1')).toEqual([1, undefined]);
    expect(script('if sleep 5; then true; fi')).toEqual([5, undefined]);
    expect(script('for i in 1 2; do sleep 5; done; sleep 1')).toEqual([6, undefined]);
    expect(script('until test -f a; do sleep 5; done; sleep 1')).toEqual([1, undefined]);
    expect(script('if test -f a; then sleep 5; else sleep 5; fi')).toEqual([undefined, undefined]);
    expect(script('exec true; sleep 5')).toEqual([undefined, undefined]);
    expect(script('exit 0; sleep 5')).toEqual([undefined, undefined]);
  });

  it('is empty for a script that cannot be parsed', () =>
    expect(script('sleep 5; echo "')).toEqual([undefined, undefined]));
});
