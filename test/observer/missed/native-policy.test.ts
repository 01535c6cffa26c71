import { expect, it } from 'vitest';
import { ApiError } from '../../../src/cluster/client/api-client.ts';
import { NATIVE_POLICY_NAME } from '../../../src/engine/policy/injection-tier.ts';
import { NATIVE_POLICY, nativeObjects } from '../../../src/native/objects.ts';
import { readNativePolicy } from '../../../src/observer/missed/native-policy.ts';
import { textAt } from '../../../src/base/json/field-path.ts';
import { AnsweringClient, listOf } from '../../cluster/client/answering-client.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const at = (object: JsonObject, time: string): JsonObject => ({
  ...object,
  metadata: { ...(object['metadata'] as JsonObject), generation: 1, creationTimestamp: time },
});

const printed = nativeObjects(policySet(policyDocument({ port: 80 }, 'own', 'apps')), 'home');
const ofKind = (kind: string, time: string): JsonObject[] =>
  printed.filter((one) => one['kind'] === kind).map((one) => at(one, time));

function cluster(params: JsonObject[] | Error): AnsweringClient {
  return new AnsweringClient(({ path }) => {
    if (path.endsWith('/probewright-inject')) return at(NATIVE_POLICY, '2026-11-01T00:00:00Z');
    if (path.endsWith('bindings')) return listOf(...ofKind('MutatingAdmissionPolicyBinding', '2026-11-02T00:00:00Z'));
    return params instanceof Error ? params : listOf(...params);
  });
}

it('has the name that export prints', () => {
  expect(textAt(NATIVE_POLICY, 'metadata', 'name')).toBe(NATIVE_POLICY_NAME);
});

it('is in force for a namespace since its last part changed: the policy, a binding or the parameter', async () => {
  // The cluster's parameter changes with each namespace that gets its own, and counts for the others alone.
  const params = ofKind('NamespaceProbes', '2026-11-03T00:00:00Z').map((one, index) =>
    at(one, `2026-11-0${5 - index}T00:00:00Z`),
  );
  const native = await readNativePolicy(cluster(params));
  expect(params.map((one) => textAt(one, 'metadata', 'namespace'))).toEqual(['home', 'apps']);
  expect(native?.changedAt('apps')).toBe(Date.parse('2026-11-04T00:00:00Z'));
  expect(native?.changedAt('other')).toBe(Date.parse('2026-11-05T00:00:00Z'));
});

it('sees the namespaces of the widest binding, and all Pods but those that opted out', async () => {
  const native = await readNativePolicy(cluster([]));
  expect(native?.scope).toEqual({
    namespaces: [
      {
        key: 'kubernetes.io/metadata.name',
        operator: 'NotIn',
        values: ['kube-system', 'kube-public', 'kube-node-lease', 'home'],
      },
      { key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] },
    ],
    pods: [{ key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] }],
    foreignConditions: [],
  });
});

it('has the times of policy and bindings without the right to list parameters', async () => {
  const native = await readNativePolicy(cluster(new ApiError(403, 'Forbidden', 'forbidden')));
  expect(native?.changedAt('apps')).toBe(Date.parse('2026-11-02T00:00:00Z'));
});

it('is absent without the object, and without a binding', async () => {
  const none = new AnsweringClient(() => new ApiError(404, 'NotFound', 'not found'));
  expect(await readNativePolicy(none)).toBeUndefined();
  const unbound = new AnsweringClient(({ path }) => (path.endsWith('bindings') ? listOf() : NATIVE_POLICY));
  expect(await readNativePolicy(unbound)).toBeUndefined();
});
