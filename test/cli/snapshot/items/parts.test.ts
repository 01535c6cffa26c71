import { describe, expect, it } from 'vitest';
import { NumberLiteral } from '../../../../src/base/json/json-value.ts';
import {
  bare,
  declaredPart,
  listPart,
  objectPart,
  pick,
  scalar,
  scalars,
} from '../../../../src/cli/snapshot/items/parts.ts';
import { PROBE_TYPE } from '../../../../src/engine/probe/api-schema.ts';

const LITERAL = new NumberLiteral('1.0');

describe('a value that does not leave', () => {
  it.each([
    ['text', ''],
    [7, 0],
    [LITERAL, 0],
    [[1, 2], []],
    [{ a: 1 }, {}],
    [null, null],
    [true, true],
    [undefined, undefined],
  ])('is empty, and of the same type: %j', (value, empty) => expect(bare(value, 3)).toEqual(empty));
});

describe('a scalar', () => {
  it.each([
    ['text', 'text'],
    [7, 7],
    [false, false],
    [LITERAL, LITERAL],
    [undefined, undefined],
    [null, null],
    [['a'], []],
    [{ a: 1 }, {}],
  ])('leaves, and a value of another type is empty: %j', (value, part) => expect(scalar(value, 0)).toEqual(part));
});

describe('an object', () => {
  it('has the members that are named, in their order, and only those that are there', () => {
    const picked = pick({ b: 1, secret: 's', a: '2' }, { ...scalars('a', 'b', 'c'), d: () => 'always' });
    expect(Object.entries(picked)).toEqual([
      ['a', '2'],
      ['b', 1],
      ['d', 'always'],
    ]);
  });

  it('of another type is empty', () => {
    const part = objectPart(scalars('a'));
    expect([{ a: 1, b: 2 }, 'text', [1], undefined].map((value) => part(value, 0))).toEqual([
      { a: 1 },
      '',
      [],
      undefined,
    ]);
  });
});

describe('a list', () => {
  it('has each element at its place', () => {
    const part = listPart((value, index) => `${String(value)}${index}`);
    expect(part(['a', 'b'], 9)).toEqual(['a0', 'b1']);
    expect([part('text', 0), part({ a: 1 }, 0)]).toEqual(['', {}]);
  });
});

describe('a value that the API declares', () => {
  const probe = declaredPart(PROBE_TYPE);

  it('has the fields of the API at all depths, also in lists', () => {
    const httpGet = { path: '/a', port: 80, secret: 's', httpHeaders: [{ name: 'n', value: 'v', more: 1 }] };
    expect(probe({ httpGet, periodSeconds: 5, other: { a: 1 } }, 0)).toEqual({
      httpGet: { path: '/a', port: 80, httpHeaders: [{ name: 'n', value: 'v' }] },
      periodSeconds: 5,
    });
  });

  it('is empty where it has another type, and keeps a number as it is written', () => {
    expect(probe({ httpGet: 'text', exec: { command: 'text' }, periodSeconds: { a: 1 } }, 0)).toEqual({
      httpGet: '',
      exec: { command: '' },
      periodSeconds: {},
    });
    expect(probe({ periodSeconds: LITERAL, httpGet: LITERAL }, 0)).toEqual({
      periodSeconds: LITERAL,
      httpGet: LITERAL,
    });
    expect(probe(LITERAL, 0)).toBe(LITERAL);
  });
});
