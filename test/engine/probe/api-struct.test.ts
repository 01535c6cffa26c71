import { describe, expect, it } from 'vitest';
import { FieldPlace, formatPath } from '../../../src/base/json/field-path.ts';
import { ApiStruct, type ApiCause } from '../../../src/engine/probe/api-struct.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** What the rules say of an object, a line for each cause. */
function causesOf(object: JsonObject, rules: (struct: ApiStruct) => void): string[] {
  const causes: ApiCause[] = [];
  rules(new ApiStruct(object, new FieldPlace([], 'spec'), causes));
  return causes.map(({ path, reason, message }) => `${formatPath(path)} ${reason} ${message}`);
}

/** What a test looks at while the rules run. */
function read<Value>(object: JsonObject, look: (struct: ApiStruct) => Value): Value {
  return look(new ApiStruct(object, new FieldPlace([], 'spec'), []));
}

describe('a struct of the API', () => {
  it.each([
    ['absent', {}],
    ['null', { field: null }],
    ['of the wrong type', { field: true }],
  ])('has the zero value for a member that is %s', (_how, object: JsonObject) => {
    expect(read(object, (struct) => struct.string('field'))).toBe('');
    expect(read(object, (struct) => struct.integer('field'))).toBe(0);
    expect(read(object, (struct) => struct.length('field'))).toBe(0);
  });

  it('has the values that are written, and no negative zero', () => {
    const object = { name: 'app', port: 80, zero: -0, list: [1, null], empty: {} };
    expect(read(object, (struct) => [struct.string('name'), struct.integer('port'), struct.length('list')])).toEqual([
      'app',
      80,
      2,
    ]);
    expect(read(object, (struct) => struct.integer('zero'))).toBe(0);
    expect(read(object, (struct) => struct.member('list'))).toEqual([1, null]);
  });

  it('has a pointer that is nil when it is absent or null', () => {
    const object = { set: {}, nil: null, odd: 3 };
    const set = (field: string): boolean => read(object, (struct) => struct.isSet(field));
    expect(['set', 'nil', 'absent', 'odd'].map(set)).toEqual([true, false, false, true]);
    const hasPointer = (field: string): boolean => read(object, (struct) => struct.pointer(field) !== undefined);
    expect(['set', 'nil', 'absent', 'odd'].map(hasPointer)).toEqual([true, false, false, true]);
  });

  it('looks at each element in its order, and at null as at an empty struct', () => {
    const object = { list: [{ name: 'a' }, null, { inner: { name: 1 } }] };
    expect(causesOf(object, (struct) => struct.each('list', (element) => element.required('name')))).toEqual([
      'spec.list[0].name FieldValueRequired Required value',
      'spec.list[1].name FieldValueRequired Required value',
      'spec.list[2].name FieldValueRequired Required value',
    ]);
    expect(
      causesOf(object, (struct) =>
        struct.each('list', (element) => element.pointer('inner')?.required(undefined, 'must be named')),
      ),
    ).toEqual(['spec.list[2].inner FieldValueRequired Required value: must be named']);
  });

  it('says what is wrong in the words of the API server', () => {
    const object = { list: [1, 2, 3], scheme: 'ftp' };
    expect(
      causesOf(object, (struct) => {
        struct.invalid('port', 0, 'must be more');
        struct.invalid('name', 'a"b', 'must be a name');
        struct.forbidden('exec', 'may not be');
        struct.duplicate('name', 'app');
        struct.atMost('list', 3);
        struct.atMost('list', 2);
        struct.oneOf('scheme', ['HTTP', 'ftp']);
        struct.oneOf('scheme', ['HTTP', 'HTTPS']);
      }),
    ).toEqual([
      'spec.port FieldValueInvalid Invalid value: 0: must be more',
      'spec.name FieldValueInvalid Invalid value: "a\\"b": must be a name',
      'spec.exec FieldValueForbidden Forbidden: may not be',
      'spec.name FieldValueDuplicate Duplicate value: "app"',
      'spec.list FieldValueTooMany Too many: 3: must have at most 2 items',
      'spec.scheme FieldValueNotSupported Unsupported value: "ftp": supported values: "HTTP", "HTTPS"',
    ]);
  });

  it('shows 256 characters of a value, and cuts a longer one', () => {
    const told = (length: number): string[] =>
      causesOf({ field: 'x'.repeat(length) }, (struct) => {
        struct.invalid('field', struct.string('field'), 'no');
        struct.oneOf('field', []);
      });
    expect(told(256).map((text) => text.includes(`"${'x'.repeat(256)}"`))).toEqual([true, true]);
    expect(told(257).map((text) => text.includes('x'.repeat(256)))).toEqual([false, false]);
  });

  it('stops looking at elements after a thousand causes', () => {
    const object = { list: Array.from({ length: 1200 }, () => ({})) };
    expect(causesOf(object, (struct) => struct.each('list', (element) => element.required('name')))).toHaveLength(1000);
  });
});
