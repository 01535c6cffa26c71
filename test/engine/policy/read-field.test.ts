import { describe, expect, it } from 'vitest';
import {
  readApiVersion,
  readField,
  readMember,
  readObject,
  readObjectName,
} from '../../../src/engine/policy/read-field.ts';
import { formatProblem, Reader } from '../../../src/engine/policy/reader.ts';
import type { Field, Fields, ObjectField } from '../../../src/engine/policy/field.ts';

/** What reading a value at `field` yields, and the problems. */
function reading(value: unknown, read: (place: Reader) => unknown): { result: unknown; problems: string[] } {
  const place = new Reader(value, ['field'], []);
  const result = read(place);
  return { result, problems: place.problems.map(formatProblem) };
}

const good = (result: unknown): object => ({ result, problems: [] });
const bad = (problem: string): object => ({ result: undefined, problems: [`field: ${problem}`] });
const count = { maximum: 3, unit: 'values', at: '' };
const length = { maximum: 5, unit: 'characters', at: '' };
const LARGEST = 2_147_483_647;

describe('a value of type', () => {
  const of = (field: Field) => (value: unknown) => reading(value, (place) => readField(field, place));

  it('integer is from 0 to the largest int32, unless its field says otherwise', () => {
    const read = of({ type: 'integer', text: '' });
    for (const value of [0, LARGEST]) expect(read(value)).toEqual(good(value));
    expect(read(-1)).toEqual(bad('must be at least 0, not -1'));
    expect(read(LARGEST + 1)).toEqual(bad(`must be at most ${LARGEST}, not ${LARGEST + 1}`));
    const bounded = of({ type: 'integer', text: '', minimum: 5, maximum: 6 });
    for (const value of [5, 6]) expect(bounded(value)).toEqual(good(value));
    expect(bounded(4)).toEqual(bad('must be at least 5, not 4'));
    expect(bounded(7)).toEqual(bad('must be at most 6, not 7'));
  });

  it('integer has the words of its field about a number beyond the maximum', () => {
    const read = of({ type: 'integer', text: '', minimum: 1, maximum: 2, beyond: 'must be 2' });
    for (const value of [1, 2]) expect(read(value)).toEqual(good(value));
    expect(read(3)).toEqual(bad('must be 2, not 3'));
    expect(read(0)).toEqual(bad('must be at least 1, not 0'));
    expect(read(LARGEST + 1)).toEqual(bad(`must be at most ${LARGEST}, not ${LARGEST + 1}`));
    expect(read('2')).toEqual(bad('must be a whole number, not "2"'));
  });

  it('number, boolean, choice and time are what they say', () => {
    expect(of({ type: 'number', text: '', minimum: 1, maximum: 2 })(1.5)).toEqual(good(1.5));
    expect(of({ type: 'number', text: '', minimum: 1, maximum: 2 })(2.5)).toEqual(bad('must be at most 2, not 2.5'));
    expect(of({ type: 'boolean', text: '' })(false)).toEqual(good(false));
    expect(of({ type: 'choice', text: '', choices: ['a', 'b'] })('b')).toEqual(good('b'));
    expect(of({ type: 'choice', text: '', choices: ['a', 'b'] })(7)).toEqual(bad('must be a or b, not 7'));
    expect(of({ type: 'time', text: '' })('2026-01-01T00:00:00Z')).toEqual(good('2026-01-01T00:00:00Z'));
    expect(of({ type: 'time', text: '' })(5)).toEqual(bad('must be a string, not 5; put it in quotes'));
  });

  it('action is one of four words, and false is Off: YAML 1.1 reads a bare Off as false', () => {
    const read = of({ type: 'action', text: '' });
    for (const action of ['Off', 'Audit', 'Warn', 'Deny']) expect(read(action)).toEqual(good(action));
    expect(read(false)).toEqual(good('Off'));
    expect(read(true)).toEqual(bad('must be Off or Audit or Warn or Deny, not true'));
    expect(read('off')).toEqual(bad('must be Off or Audit or Warn or Deny, not "off"; did you mean "Off"?'));
  });

  it('port is a number from 1 to 65535, or a name', () => {
    const read = of({ type: 'port', text: '' });
    for (const port of [1, 65_535, 'http', 'a', 'web-1', '8080-tcp', 'x'.repeat(15)])
      expect(read(port)).toEqual(good(port));
    expect(read(0)).toEqual(bad('must be at least 1, not 0'));
    expect(read(65_536)).toEqual(bad('must be at most 65535, not 65536'));
    expect(read(1.5)).toEqual(bad('must be a whole number, not 1.5'));
    expect(read('8080')).toEqual(bad('must be a number without quotes: 8080'));
    const rule = 'at most 15 of a-z, 0-9 and single inner hyphens, with at least one letter';
    for (const name of ['', 'x'.repeat(16), 'Http', 'a--b', '-a', '1-2'])
      expect(read(name)).toEqual(bad(`"${name}" is not a port name: ${rule}`));
    for (const [value, shown] of [
      [true, 'true'],
      [null, 'null'],
      [[80], '[80]'],
    ])
      expect(read(value)).toEqual(bad(`must be a port's number or name, not ${String(shown)}`));
  });

  it('path is an absolute path of at most 4096 characters without spaces', () => {
    const read = of({ type: 'path', text: '' });
    for (const path of ['/', '/healthz?full=1', `/${'a'.repeat(4095)}`]) expect(read(path)).toEqual(good(path));
    expect(read('')).toEqual(bad('must not be empty; "/" is the root'));
    expect(read('live')).toEqual(bad('must start with "/", not "live"'));
    expect(read('/a b')).toEqual(bad('must have no spaces or control characters: "/a b"'));
    expect(read(7)).toEqual(bad('must be a string, not 7; put it in quotes'));
  });

  it('text has its bounds and its own rule', () => {
    const problem = (text: string): string | undefined => (text.includes('!') ? 'must not shout' : undefined);
    const read = of({ type: 'text', text: '', shortest: 2, bound: length, problem });
    for (const text of ['ab', 'abcde', '😀😀']) expect(read(text)).toEqual(good(text));
    expect(read('a')).toEqual(bad('must have at least 2 characters, not 1'));
    expect(read('😀')).toEqual(bad('must have at least 2 characters, not 1'));
    expect(read('abcdef')).toEqual(bad('must have at most 5 characters, not 6: "abcdef"'));
    expect(read('!')).toEqual(bad('must not shout'));
    expect(read(null)).toEqual(bad('must be a string, not null'));
    expect(of({ type: 'text', text: '' })('')).toEqual(good(''));
  });

  it('names and strings are lists without repeats; strings become a set', () => {
    const problem = (name: string): string | undefined => (name === 'no' ? 'is no name' : undefined);
    const names = of({ type: 'names', text: '', what: 'image', count, length, pattern: '', problem });
    expect(names(['b', 'a'])).toEqual(good(['b', 'a']));
    expect(names([])).toEqual(bad('must name at least one image; leave the field out for the default'));
    expect(names(['no'])).toEqual({ result: [], problems: ['field[0]: is no name'] });
    const strings = of({ type: 'strings', text: '', count, length });
    expect(strings(['b', 'a'])).toEqual(good(new Set(['b', 'a'])));
    expect(strings(['a', 'a'])).toEqual({ result: new Set(['a']), problems: ['field[1]: "a" is listed twice'] });
    expect(strings([])).toEqual(bad('must name at least one value; leave the field out for the default'));
    expect(strings('a')).toEqual(bad('must be a list, not "a"'));
  });

  it('choices is a list of different words among the known ones', () => {
    const read = of({ type: 'choices', text: '', choices: ['exec', 'grpc'] });
    expect(read(['grpc', 'exec'])).toEqual(good(['grpc', 'exec']));
    expect(read(['grpc', 'grpc']).problems).toEqual(['field[1]: "grpc" is listed twice']);
    expect(read(['http']).problems).toEqual(['field[0]: must be exec or grpc, not "http"']);
    expect(read(['exec', 'grpc', 'x'])).toEqual(bad('must have at most 2 values, not 3'));
    expect(read([])).toEqual(bad('must name at least one value; leave the field out for the default'));
  });

  it('list has a value for each element, and undefined for one that cannot be read', () => {
    const items: Field = { type: 'integer', text: '' };
    const read = of({ type: 'list', text: '', count, items });
    expect(read([1, 2, 3])).toEqual(good([1, 2, 3]));
    expect(read([])).toEqual(good([]));
    expect(read([1, 'x'])).toEqual({
      result: [1, undefined],
      problems: ['field[1]: must be a whole number, not "x"'],
    });
    expect(read([1, 2, 3, 4])).toEqual(bad('must have at most 3 values, not 4'));
    const filled = of({ type: 'list', text: '', count, items, empty: 'must not be empty' });
    expect(filled([])).toEqual(bad('must not be empty'));
    expect(filled([1])).toEqual(good([1]));
    expect(filled(1)).toEqual(bad('must be a list, not 1'));
  });

  it('map has a value for each key, and checks both', () => {
    const keyProblem = (key: string): string | undefined => (key === 'no' ? 'is no key' : undefined);
    const read = of({ type: 'map', text: '', count, keyProblem, values: { type: 'boolean', text: '' } });
    expect(read({ a: true, b: false })).toEqual(good({ a: true, b: false }));
    expect(read({})).toEqual(good({}));
    expect(read({ no: true }).problems).toEqual(['field.no: is no key']);
    expect(read({ no: 1 }).problems).toEqual(['field.no: must be true or false, not 1', 'field.no: is no key']);
    expect(read({ a: true, b: true, c: true, d: true }).problems).toEqual(['field: must have at most 3 values, not 4']);
  });

  it('bounds has limits of the integers of a probe', () => {
    const read = of({ type: 'bounds', text: '' });
    const limits = { periodSeconds: { minimum: 2, maximum: 60 }, timeoutSeconds: { maximum: 5 } };
    expect(read(limits)).toEqual(good(limits));
    expect(read({ period: {} }).problems).toEqual(['field.period: unknown field; did you mean "periodSeconds"?']);
    expect(read({ periodSeconds: {} }).problems).toEqual(['field.periodSeconds: must set minimum, maximum or both']);
  });

  it('group has fields of its own', () => {
    const read = of({ type: 'group', text: '', fields: { seconds: { type: 'integer', text: '' } } });
    expect(read({ seconds: 5 })).toEqual(good({ seconds: 5 }));
    expect(read({})).toEqual(good({}));
    expect(read({ minutes: 5 }).problems).toEqual(['field.minutes: unknown field; known here: seconds']);
  });

  it.each(['checks', 'checkIds'] as const)('%s needs a reader that knows the checks', (type) =>
    expect(() => of({ type, text: '', fewest: 1 } as Field)([])).toThrow(
      `fields of type ${type} have their own readers`,
    ),
  );

  it.each([
    ['text', { type: 'text', text: '' }, 'a'],
    ['list', { type: 'list', text: '', count, items: { type: 'text', text: '' } }, ['a']],
  ] as const)('%s may have a check of the whole value, which an unreadable value does not reach', (_, shape, value) => {
    const seen: unknown[] = [];
    const read = of({ ...shape, check: (given, place) => (seen.push(given), place.report('is checked')) });
    expect(read(value)).toEqual({ result: value, problems: ['field: is checked'] });
    expect(read(5).problems).toHaveLength(1);
    expect(seen).toEqual([value]);
  });
});

describe('a member of an object', () => {
  const of = (field: Field, nulls?: 'absent') => (value: unknown) =>
    reading(value, (place) => readMember(field, place, nulls));
  const plain: Field = { type: 'integer', text: '' };

  it('may be absent, and null is a mistake', () => {
    expect(of(plain)(undefined)).toEqual(good(undefined));
    expect(of(plain)(5)).toEqual(good(5));
    expect(of(plain)(null)).toEqual(bad('must be a whole number, not null'));
  });

  it('may be null where null has a meaning', () => {
    for (const nullMeans of [true, 'nothing'] as const)
      for (const nulls of [undefined, 'absent'] as const) {
        const read = of({ ...plain, nullMeans }, nulls);
        expect([read(null), read(undefined), read(5)]).toEqual([good(null), good(undefined), good(5)]);
      }
  });

  it('may be null in place of absent where its object says so', () => {
    const read = of(plain, 'absent');
    expect([read(null), read(undefined), read(5)]).toEqual([good(undefined), good(undefined), good(5)]);
  });

  it('must be given if it is required, in the words of its field or of its type', () => {
    for (const value of [undefined, null]) {
      const shown = value === null ? 'null' : 'nothing';
      expect(of({ ...plain, required: true }, 'absent')(value)).toEqual(bad(`must be a whole number, not ${shown}`));
      expect(of({ ...plain, required: 'must be there' }, 'absent')(value)).toEqual(bad('must be there'));
    }
    expect(of({ ...plain, required: 'must be there' })(5)).toEqual(good(5));
    expect(of({ ...plain, required: true })(5)).toEqual(good(5));
  });
});

describe('an object', () => {
  const fields: Fields = { port: { type: 'port', text: '' }, path: { type: 'path', text: '', nullMeans: true } };
  const plain: ObjectField = { type: 'object', text: '', fields };

  it('is read without the fields that are absent', () => {
    expect(reading({ port: 80 }, (place) => readObject(plain, place))).toEqual(good({ port: 80 }));
    expect(reading({ path: null }, (place) => readField(plain, place))).toEqual(good({ path: null }));
    expect(reading({}, (place) => readObject(plain, place))).toEqual(good({}));
  });

  it('reports every problem of its fields, and keeps what could be read', () =>
    expect(reading({ port: 0, path: '/', prot: 1 }, (place) => readObject(plain, place))).toEqual({
      result: { path: '/' },
      problems: ['field.prot: unknown field; did you mean "port"?', 'field.port: must be at least 1, not 0'],
    }));

  it('calls its fields by its own word', () =>
    expect(reading({ x: 1 }, (place) => readObject({ ...plain, what: 'setting' }, place)).problems).toEqual([
      'field.x: unknown setting; known here: port, path',
    ]));

  it('takes nulls for absent fields if it says so', () => {
    expect(reading({ port: null }, (place) => readObject({ ...plain, nulls: 'absent' }, place))).toEqual(good({}));
    expect(reading({ port: null }, (place) => readObject(plain, place)).problems).toHaveLength(1);
  });

  it('is checked as a whole, and becomes what the engine keeps', () => {
    const field: ObjectField = {
      ...plain,
      check: (_, place) => place.at('port').report('is checked'),
      into: (read) => ({ kept: read }),
    };
    expect(reading({ port: 80 }, (place) => readObject(field, place))).toEqual({
      result: { kept: { port: 80 } },
      problems: ['field.port: is checked'],
    });
    expect(reading([], (place) => readObject(field, place))).toEqual(bad('must be an object, not []'));
  });

  it('has readers of its own for fields that need one, also when they are absent', () => {
    const own = { port: (place: Reader, field: Field) => [field.type, place.isAbsent] };
    expect(reading({ path: '/' }, (place) => readObject(plain, place, own))).toEqual(
      good({ port: ['port', true], path: '/' }),
    );
    expect(reading({ port: 'x y' }, (place) => readObject(plain, place, own))).toEqual(good({ port: ['port', false] }));
  });
});

describe('the name of an object', () =>
  it('must be given, as a DNS subdomain', () => {
    for (const name of ['web', 'a.b-c', '1']) expect(reading(name, readObjectName)).toEqual(good(name));
    expect(reading(undefined, readObjectName)).toEqual(bad('must be given'));
    expect(reading(null, readObjectName)).toEqual(bad('must be a string, not null'));
    expect(reading('', readObjectName)).toEqual(
      bad('"" is not an object name: lower-case letters, digits, "-" and "."'),
    );
  }));

describe('the apiVersion', () =>
  it('is the one of our kinds', () => {
    expect(reading('probewright.dev/v1alpha1', readApiVersion)).toEqual(good(undefined));
    expect(reading('v1', readApiVersion)).toEqual(bad('must be probewright.dev/v1alpha1, not "v1"'));
    expect(reading(undefined, readApiVersion)).toEqual(bad('must be probewright.dev/v1alpha1, not nothing'));
  }));
