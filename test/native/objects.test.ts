import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { POLICY_FILE, policyFile } from '../../scripts/native/policy-file.ts';
import { listMember, objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { textAt, valueAt } from '../../src/base/json/field-path.ts';
import { LAW } from '../../src/native/law.ts';
import { MOST_LAYERS, PARAM_VERSION, PARAM_VERSION_LABEL, tooManyLayers } from '../../src/native/namespace-probes.ts';
import { nativeObjects, NATIVE_POLICY } from '../../src/native/objects.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../support/worlds.ts';

describe('the native policy', () => {
  it('is the one that is kept: a table of ports or programs, or the law, changes no cluster by surprise', () => {
    const isSame = readFileSync(POLICY_FILE, 'utf8') === policyFile();
    expect(isSame, `${POLICY_FILE} is not what export prints: run npm run generate:native, and review the diff`).toBe(
      true,
    );
  });

  it('prints the tables of the engine', () => {
    const words = LAW.find(({ name }) => name === 'words')?.expression ?? '';
    expect(words).toContain("'postgres': 'p'");
    expect(words).toContain("'grpc': 'n'");
    expect(LAW.find(({ name }) => name === 'numbers')?.expression).toContain("'6379': 'p'");
  });

  it('has no expression that the API server would refuse for its length', () => {
    for (const { name, expression } of LAW) expect(expression.length, name).toBeLessThan(100_000);
  });

  it('is for Pods at CREATE, but for those that opted out', () => {
    expect(valueAt(NATIVE_POLICY, ['spec', 'matchConstraints', 'resourceRules', 0])).toMatchObject({
      operations: ['CREATE'],
      resources: ['pods'],
    });
    expect(valueAt(NATIVE_POLICY, ['spec', 'matchConstraints', 'objectSelector'])).toEqual({
      matchExpressions: [{ key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] }],
    });
  });
});

describe('the objects of an export', () => {
  const snapshot = policySet(
    clusterPolicyDocument({ port: 80 }, 'low'),
    clusterPolicyDocument({ port: 8080, priority: 1 }, 'high'),
    policyDocument({ port: 'http' }, 'own', 'apps'),
  );
  const objects = nativeObjects(snapshot, 'probes');
  const named = (kind: string, name: string): JsonObject =>
    objects.find((one) => one['kind'] === kind && textAt(one, 'metadata', 'name') === name) ?? {};
  const sources = (name: string): unknown[] =>
    listMember(objectMember(named('NamespaceProbes', name), 'spec') ?? {}, 'layers').map(
      (layer) => (layer as JsonObject)['source'],
    );

  it('have the layers of a namespace, highest first', () => {
    expect(sources('effective')).toEqual(['ProbePolicy/apps/own', 'ClusterProbePolicy/high', 'ClusterProbePolicy/low']);
    expect(sources('cluster')).toEqual(['ClusterProbePolicy/high', 'ClusterProbePolicy/low']);
  });

  it('give each namespace one of the two params, and exempt ones none', () => {
    expect(valueAt(named('NamespaceProbes', 'cluster'), ['spec', 'except'])).toEqual(['apps']);
    expect(valueAt(NATIVE_POLICY, ['spec', 'matchConditions'])).toContainEqual({
      name: 'param-of-the-namespace',
      expression: '!(request.namespace in params.spec.except)',
    });
    for (const name of ['namespaces', 'others']) {
      const binding = named('MutatingAdmissionPolicyBinding', `probewright-inject-${name}`);
      expect(valueAt(binding, ['spec', 'matchResources', 'namespaceSelector', 'matchExpressions'])).toEqual([
        {
          key: 'kubernetes.io/metadata.name',
          operator: 'NotIn',
          values: ['kube-system', 'kube-public', 'kube-node-lease', 'probes'],
        },
        { key: 'probewright.dev/webhook', operator: 'NotIn', values: ['disabled'] },
      ]);
    }
  });

  it('tell which version the params have, and which ones the policy reads', () => {
    for (const name of ['cluster', 'effective'])
      expect(valueAt(named('NamespaceProbes', name), ['spec', 'version'])).toBe(PARAM_VERSION);
    expect(textAt(NATIVE_POLICY, 'metadata', 'labels', PARAM_VERSION_LABEL)).toBe(String(PARAM_VERSION));
    const [first] = listMember(objectMember(NATIVE_POLICY, 'spec') ?? {}, 'matchConditions');
    expect(textAt(first, 'expression')).toBe(`params.spec.version <= ${PARAM_VERSION}`);
  });
});

it('counts the layers that are too many for a namespace', () => {
  const cluster = Array.from({ length: MOST_LAYERS }, (_, index) => clusterPolicyDocument({ port: 80 }, `c${index}`));
  expect(tooManyLayers(policySet(...cluster))).toEqual([]);
  expect(tooManyLayers(policySet(...cluster, policyDocument({ port: 80 })))).toEqual([['apps', MOST_LAYERS + 1]]);
});
