import { Environment } from '@marcbachmann/cel-js';
import { describe, expect, it } from 'vitest';
import {
  anyOf,
  celList,
  celMap,
  celPattern,
  celText,
  celWith,
  larger,
  oneLine,
  smaller,
  withName,
} from '../../src/native/cel.ts';

/** What an expression of CEL is. */
const valueOf = (expression: string, variables: Record<string, unknown> = {}): unknown => {
  const environment = new Environment({ homogeneousAggregateLiterals: false });
  for (const name of Object.keys(variables)) environment.registerVariable(name, 'dyn');
  return environment.evaluate(expression, variables);
};

it.each(['plain', "it's", 'a\\b', 'two\nlines', '\\n', "\\'", '', 'grüße 😀'])(
  'a text is itself as a literal: %j',
  (text) => {
    expect(valueOf(celText(text))).toBe(text);
    expect(valueOf(celList([text, 'x']))).toEqual([text, 'x']);
  },
);

describe('parts of expressions', () => {
  it('choose the larger and the smaller of two', () => {
    expect([valueOf(larger('1', '2')), valueOf(larger('2', '1')), valueOf(larger('2', '2'))]).toEqual([2n, 2n, 2n]);
    expect([valueOf(smaller('1', '2')), valueOf(smaller('2', '1'))]).toEqual([1n, 1n]);
  });

  it('give a value a name', () => expect(valueOf(withName('2 + 3', 'x', 'x * x'))).toBe(25n));

  it('make a map with values of several types', () =>
    expect(valueOf(celMap({ kind: celText('http'), port: '80', names: celList(['a']) }))).toEqual({
      kind: 'http',
      port: 80n,
      names: ['a'],
    }));

  it('make a record from another one: kept members, and new ones that win', () =>
    expect(valueOf(celWith('r', ['a', 'b'], { b: '7', c: '8' }), { r: { a: 1n, b: 2n, d: 4n } })).toEqual({
      a: 1n,
      b: 7n,
      c: 8n,
    }));

  it('stand in one line', () => expect(oneLine('\n  a &&\n    b ||\n  c\n')).toBe('a && b || c'));
});

describe('patterns', () => {
  it('are the sources of regular expressions for RE2', () => {
    expect(celPattern(/^\/a\\b'/)).toBe("'^/a\\\\\\\\b\\''");
    expect(celPattern(/x/i)).toBe("'(?i)x'");
    expect(celPattern(/x/u)).toBe("'x'");
  });

  it('fit one of some words, and what they stand for literally', () => {
    const words = ['a.b', 'c+', '(d)', '[e]', '{f}', 'g|h', '\\i', '^j', 'k$', 'l*', 'm?'];
    const pattern = new RegExp(`^${anyOf(words)}$`);
    expect(words.filter((word) => !pattern.test(word))).toEqual([]);
    expect(
      ['axb', 'cc', 'd', 'e', 'g', 'h', 'j', 'k', 'll', 'm', 'a.bc+'].filter((word) => pattern.test(word)),
    ).toEqual([]);
  });
});
