import { describe, expect, it } from 'vitest';
import { formatProblem, MORE_PROBLEMS, Reader } from '../../../src/engine/policy/reader.ts';

/** What reading a value at `spec.field` yields, and the problems. */
function reading(value: unknown, read: (reader: Reader) => unknown): { result: unknown; problems: string[] } {
  const reader = new Reader(value, ['spec', 'field'], []);
  const result = read(reader);
  return { result, problems: reader.problems.map(formatProblem) };
}

const good = (result: unknown): object => ({ result, problems: [] });
const bad = (...problems: string[]): object => ({
  result: undefined,
  problems: problems.map((problem) => `spec.field${problem}`),
});

const BOUND = { maximum: 3, unit: 'things', at: '' };
const ODD = [undefined, null, true, 5, 'text', [], {}];

describe('a problem', () => {
  it('is one line with its path, and without a path when the whole document is wrong', () => {
    expect(formatProblem({ path: ['spec', 'containers', 0], message: 'is bad' })).toBe('spec.containers[0]: is bad');
    expect(formatProblem({ path: ['a/b'], message: 'is bad' })).toBe('["a/b"]: is bad');
    expect(formatProblem({ path: [], message: 'is bad' })).toBe('is bad');
  });

  it('stands at the place of the reader, or at a key below it, and leaves the value unread', () => {
    const reader = new Reader({}, ['spec'], []);
    expect(reader.report('here')).toBeUndefined();
    expect(reader.report('there', 'port')).toBeUndefined();
    expect(reader.report('in a list', 0)).toBeUndefined();
    expect(reader.problems).toEqual([
      { path: ['spec'], message: 'here' },
      { path: ['spec', 'port'], message: 'there' },
      { path: ['spec', 0], message: 'in a list' },
    ]);
  });

  it('is listed with up to 99 others, and then one line says that there are more', () => {
    const reader = new Reader({}, [], []);
    for (let number = 1; number <= 100; number++) {
      expect(reader.isFull).toBe(false);
      reader.report(`problem ${number}`);
    }
    expect(reader.problems.at(-1)?.message).toBe('problem 100');
    expect(reader.isFull).toBe(false);
    reader.report('problem 101', 'port');
    expect(reader.isFull).toBe(true);
    reader.report('problem 102');
    expect(reader.problems).toHaveLength(101);
    expect(reader.problems[100]).toEqual({ path: ['port'], message: MORE_PROBLEMS });
  });
});

describe('a warning', () =>
  it('is noted at its place, with up to 99 others', () => {
    const warnings: { path: readonly (string | number)[]; message: string }[] = [];
    const reader = new Reader({}, ['spec', 'probes'], [], warnings);
    for (let number = 1; number <= 101; number++) reader.at('startupProbe').warn(`warning ${number}`);
    expect(warnings).toHaveLength(100);
    expect(warnings[0]).toEqual({ path: ['spec', 'probes', 'startupProbe'], message: 'warning 1' });
    expect(warnings[99]?.message).toBe('warning 100');
    expect(reader.problems).toEqual([]);
  }));

describe('a place below', () => {
  it('has the own member or element, and the path to it', () => {
    const reader = new Reader({ list: [7, null] }, ['spec'], []);
    const list = reader.at('list');
    expect([list.at(0).value, list.at(0).path]).toEqual([7, ['spec', 'list', 0]]);
    expect([list.at(1).value, list.at(2).value]).toEqual([null, undefined]);
    expect(list.at(2).path).toEqual(['spec', 'list', 2]);
  });

  it('reports to the same lists as the place above', () => {
    const reader = new Reader({ a: { b: 1 } }, [], []);
    reader.at('a').at('b').report('is bad');
    reader.at('a').warn('is odd');
    expect(reader.problems.map(formatProblem)).toEqual(['a.b: is bad']);
    expect(reader.warnings.map(formatProblem)).toEqual(['a: is odd']);
  });

  it.each([undefined, null, 'text', 5, true])('has no value below %j', (value) =>
    expect(new Reader(value, [], []).at('length').value).toBeUndefined(),
  );

  it('has no inherited member', () => {
    for (const key of ['toString', 'constructor', '__proto__'])
      expect(new Reader({}, [], []).at(key).isAbsent).toBe(true);
  });

  it.each([
    [undefined, { isAbsent: true, isNull: false, isGiven: false }],
    [null, { isAbsent: false, isNull: true, isGiven: false }],
    [false, { isAbsent: false, isNull: false, isGiven: true }],
    [0, { isAbsent: false, isNull: false, isGiven: true }],
    ['', { isAbsent: false, isNull: false, isGiven: true }],
  ])('with %j: %j', (value, expected) => {
    const { isAbsent, isNull, isGiven } = new Reader(value, [], []);
    expect({ isAbsent, isNull, isGiven }).toEqual(expected);
  });
});

describe('an object', () => {
  it('is read whole, with the keys that are known', () => {
    const value = { port: 1, path: null };
    expect(reading(value, (reader) => reader.object(['port', 'path', 'host']))).toEqual(good(value));
    expect(reading({}, (reader) => reader.object([]))).toEqual(good({}));
    expect(reading({ any: 1 }, (reader) => reader.anyObject())).toEqual(good({ any: 1 }));
  });

  it('is read with a problem for each unknown key', () => {
    const value = { prot: 1, port: 2, else: 3 };
    expect(reading(value, (reader) => reader.object(['port', 'path']))).toEqual({
      result: value,
      problems: [
        'spec.field.prot: unknown field; did you mean "port"?',
        'spec.field.else: unknown field; known here: port, path',
      ],
    });
    expect(reading({ x: 1 }, (reader) => reader.object(['port'], 'probe')).problems).toEqual([
      'spec.field.x: unknown probe; known here: port',
    ]);
    expect(reading({ toString: 1 }, (reader) => reader.object(['port'])).problems).toHaveLength(1);
  });

  it('with thousands of unknown keys is read no further than problems are listed', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`a${index}`, 1]));
    expect(reading(many, (reader) => reader.object(['port'])).problems).toHaveLength(101);
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['text', '"text"'],
    [[1], '[1]'],
  ])('is not %j', (value, shown) => {
    const expected = bad(`: must be an object, not ${shown}`);
    expect(reading(value, (reader) => reader.anyObject())).toEqual(expected);
    expect(reading(value, (reader) => reader.object(['port']))).toEqual(expected);
  });

  it('with any keys has up to a bound of them', () => {
    expect(reading({ c: 1, a: 2, b: 3 }, (reader) => reader.keys(BOUND))).toEqual(good(['c', 'a', 'b']));
    expect(reading({ a: 1, b: 2, c: 3, d: 4 }, (reader) => reader.keys(BOUND))).toEqual({
      result: [],
      problems: ['spec.field: must have at most 3 things, not 4'],
    });
    expect(reading(7, (reader) => reader.keys(BOUND))).toEqual({
      result: [],
      problems: ['spec.field: must be an object, not 7'],
    });
  });
});

describe('a list', () => {
  const read = (value: unknown, bound?: typeof BOUND): unknown =>
    reading(value, (reader) => reader.list(bound)?.map((element) => [element.path.at(-1), element.value]));

  it('has a place for each element, up to a bound', () => {
    expect(read(['a', null, 'c'], BOUND)).toEqual(
      good([
        [0, 'a'],
        [1, null],
        [2, 'c'],
      ]),
    );
    expect(read([], BOUND)).toEqual(good([]));
    expect(read([1, 2, 3, 4], BOUND)).toEqual(bad(': must have at most 3 things, not 4'));
    expect(reading(Array(100).fill(1), (reader) => reader.list()?.length)).toEqual(good(100));
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['a', '"a"'],
    [{ 0: 'a' }, '{"0":"a"}'],
  ])('is not %j', (value, shown) => expect(read(value)).toEqual(bad(`: must be a list, not ${shown}`)));
});

describe('a text', () => {
  it('is read up to a bound, in characters of Unicode', () => {
    for (const text of ['', 'abc', '😀😀😀'])
      expect(reading(text, (reader) => reader.string(BOUND))).toEqual(good(text));
    expect(reading('x'.repeat(99), (reader) => reader.string())).toEqual(good('x'.repeat(99)));
    expect(reading('abcd', (reader) => reader.string(BOUND))).toEqual(
      bad(': must have at most 3 things, not 4: "abcd"'),
    );
  });

  it('without quotes, where YAML takes it for something else, gets the advice to quote it', () => {
    for (const value of [8080, 0, true, false])
      expect(reading(value, (reader) => reader.string())).toEqual(
        bad(`: must be a string, not ${String(value)}; put it in quotes`),
      );
  });

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [['a'], '["a"]'],
    [{}, '{}'],
  ])('is not %j', (value, shown) =>
    expect(reading(value, (reader) => reader.string(BOUND))).toEqual(bad(`: must be a string, not ${shown}`)),
  );
});

describe('a boolean', () =>
  it('is true or false, and no word', () => {
    for (const value of [true, false]) expect(reading(value, (reader) => reader.boolean())).toEqual(good(value));
    expect(reading('yes', (reader) => reader.boolean())).toEqual(bad(': must be true or false, not "yes"'));
    expect(reading(1, (reader) => reader.boolean())).toEqual(bad(': must be true or false, not 1'));
    expect(reading(undefined, (reader) => reader.boolean())).toEqual(bad(': must be true or false, not nothing'));
  }));

describe('a number', () => {
  it('is read from its minimum to its maximum', () => {
    for (const value of [2, 2.5, 4]) expect(reading(value, (reader) => reader.number(2, 4))).toEqual(good(value));
    expect(reading(1.9, (reader) => reader.number(2, 4))).toEqual(bad(': must be at least 2, not 1.9'));
    expect(reading(4.1, (reader) => reader.number(2, 4))).toEqual(bad(': must be at most 4, not 4.1'));
  });

  it('is whole where it must be', () => {
    for (const value of [2, 4]) expect(reading(value, (reader) => reader.integer(2, 4))).toEqual(good(value));
    expect(reading(1, (reader) => reader.integer(2, 4))).toEqual(bad(': must be at least 2, not 1'));
    expect(reading(5, (reader) => reader.integer(2, 4))).toEqual(bad(': must be at most 4, not 5'));
    expect(reading(2.5, (reader) => reader.integer(2, 4))).toEqual(bad(': must be a whole number, not 2.5'));
  });

  it('is neither infinite nor a text', () => {
    for (const value of [Infinity, -Infinity, NaN])
      expect(reading(value, (reader) => reader.number(2, Infinity)).result).toBeUndefined();
    expect(reading('3', (reader) => reader.number(2, 4))).toEqual(bad(': must be a number, not "3"'));
    expect(reading('3', (reader) => reader.integer(2, 4))).toEqual(bad(': must be a whole number, not "3"'));
    for (const value of ODD.filter((one) => one !== 5)) {
      expect(reading(value, (reader) => reader.number(0, 9)).problems).toHaveLength(1);
      expect(reading(value, (reader) => reader.integer(0, 9)).problems).toHaveLength(1);
    }
  });
});

describe('a choice', () =>
  it('is one of the words, in their case', () => {
    const read = (value: unknown): unknown => reading(value, (reader) => reader.oneOf(['Off', 'Warn']));
    expect(read('Off')).toEqual(good('Off'));
    expect(read('Warn')).toEqual(good('Warn'));
    expect(read('warn')).toEqual(bad(': must be Off or Warn, not "warn"; did you mean "Warn"?'));
    expect(read('something')).toEqual(bad(': must be Off or Warn, not "something"'));
    expect(read(false)).toEqual(bad(': must be Off or Warn, not false'));
    expect(read(undefined)).toEqual(bad(': must be Off or Warn, not nothing'));
  }));

describe('names', () => {
  const read = (value: unknown): { result: unknown; problems: string[] } =>
    reading(value, (reader) =>
      reader.names('container', BOUND, { ...BOUND, unit: 'characters' }, (name) =>
        name === 'bad' ? 'is a bad name' : undefined,
      ),
    );

  it('are read in their order', () => {
    expect(read(['b', 'a'])).toEqual(good(['b', 'a']));
    expect(read(['b', 'a', 'c'])).toEqual(good(['b', 'a', 'c']));
    expect(reading(['long-name'], (reader) => reader.names('container', BOUND))).toEqual(good(['long-name']));
  });

  it('are one at least, and a bound of them at most', () => {
    expect(read([])).toEqual(bad(': must name at least one container; leave the field out for the default'));
    expect(read(['a', 'b', 'c', 'd'])).toEqual(bad(': must have at most 3 things, not 4'));
    expect(read('a')).toEqual(bad(': must be a list, not "a"'));
  });

  it('that are wrong are reported one by one, and the others are read', () => {
    expect(read(['', 'a', 'bad'])).toEqual({
      result: ['a'],
      problems: ['spec.field[0]: must not be empty', 'spec.field[2]: is a bad name'],
    });
    expect(read(['a', 'a', 7])).toEqual({
      result: ['a'],
      problems: ['spec.field[1]: "a" is listed twice', 'spec.field[2]: must be a string, not 7; put it in quotes'],
    });
    expect(read(['abcd', 'ok'])).toEqual({
      result: ['ok'],
      problems: ['spec.field[0]: must have at most 3 characters, not 4: "abcd"'],
    });
  });
});
