import { expect, it } from 'vitest';
import { member, objectMember, stringMap, stringMembers, type JsonObject } from '../../../src/base/json/json-value.ts';

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

it.each(INHERITED)('%s is absent from a document that does not have it', (name) => {
  expect(member({}, name)).toBeUndefined();
  expect(objectMember({}, name)).toBeUndefined();
});

it.each(INHERITED)('%s is a member like any other of a document that has it', (name) => {
  const document = JSON.parse(`{${JSON.stringify(name)}: {"port": 80}}`) as JsonObject;
  expect(member(document, name)).toEqual({ port: 80 });
  expect(objectMember(document, name)).toEqual({ port: 80 });
});

it('a member that is null is null, and a copy has the same members', () => {
  const document = JSON.parse('{"__proto__": null, "livenessProbe": null}') as JsonObject;
  expect(member(document, 'livenessProbe')).toBeNull();
  expect(member(document, '__proto__')).toBeNull();
  expect(member({ ...document }, '__proto__')).toBeNull();
});

it('a map of texts has the texts alone, and a copy is not made to look one up', () => {
  const document = { labels: { app: 'web', count: 5, none: null } };
  expect([...stringMap(document, 'labels')]).toEqual([['app', 'web']]);
  expect([...stringMap(document, 'annotations')]).toEqual([]);
  const labels = stringMembers(document, 'labels');
  expect(['app', 'count', 'other', 'toString'].map((name) => labels.get(name))).toEqual([
    'web',
    undefined,
    undefined,
    undefined,
  ]);
  expect(stringMembers(document, 'annotations').get('app')).toBeUndefined();
});
