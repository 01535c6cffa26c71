import { expect, it } from 'vitest';
import { isKubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';

it.each<[unknown, boolean]>([
  [{ metadata: { name: 'web' } }, true],
  [{ metadata: { name: 3 } }, false],
  [{ metadata: {} }, false],
  [{ metadata: null }, false],
  [{}, false],
  [null, false],
  ['text', false],
])('%j is an object of the API: %s', (value, isObject) => expect(isKubernetesObject(value)).toBe(isObject));
