import { describe, expect, it } from 'vitest';
import {
  describeManifest,
  manifestsIn,
  nameOf,
  namespaceOf,
  workloadIn,
  workloadsIn,
} from '../../../src/cli/input/manifest.ts';
import { manifestsOf, parsedTexts } from '../../../src/cli/input/manifests.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';

const FILE = 'all.yaml';
const read = (text: string): ReturnType<typeof manifestsOf> => manifestsOf({ file: FILE, text });

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: app, image: x }] } } }
`;

describe('the workloads of texts', () => {
  const settings = { kinds: KNOWN_KINDS, namespace: 'shop', now: NOW };

  it('are the objects of known kinds, with the namespace that stands in for a missing one', () => {
    const text = `${DEPLOYMENT}---\nkind: ConfigMap\napiVersion: v1\n---\n${DEPLOYMENT.replace('web }', 'b, namespace: apps }')}`;
    const parsed = { texts: parsedTexts([{ file: FILE, text }], settings) };
    expect(manifestsIn(parsed)).toHaveLength(3);
    expect(workloadsIn(parsed, settings).map(({ name, namespace, pods }) => [name, namespace, pods.length])).toEqual([
      ['web', 'shop', 1],
      ['b', 'apps', 1],
    ]);
  });

  it('are not objects that the webhook would skip', () => {
    const [manifest] = read(DEPLOYMENT).manifests;
    const { object = {} } = manifest ?? {};
    const template = { spec: { containers: [] } };
    expect(workloadIn(object, settings)?.kind.kind).toBe('Deployment');
    expect(workloadIn({ ...object, kind: 'Other' }, settings)).toBeUndefined();
    expect(workloadIn({ ...object, spec: {} }, settings)).toBeUndefined();
    expect(workloadIn({ ...object, spec: { template } }, { ...settings, kinds: [] })).toBeUndefined();
  });

  it('are no tests of Helm, unless a cluster has them', () => {
    const [manifest] = read(DEPLOYMENT).manifests;
    const hooked = (hook: unknown) => ({
      ...manifest?.object,
      metadata: { name: 'web', annotations: { 'helm.sh/hook': hook } },
    });
    const tests = ['test', 'test-success', 'pre-install, test', 'test,post-delete'];
    for (const hook of tests) {
      expect(workloadIn(hooked(hook), settings)).toBeUndefined();
      expect(workloadIn(hooked(hook), { ...settings, isFromCluster: true })).toBeDefined();
    }
    for (const hook of ['pre-install', 'tests', 'post-test', '', 1, null])
      expect(workloadIn(hooked(hook), settings)).toBeDefined();
  });
});

describe('the name of an object', () => {
  it('is the beginning of a generated name where there is no name', () => {
    const named = { kind: 'Job', metadata: { name: 'a', namespace: 'apps', generateName: 'b-' } };
    const generated = { metadata: { generateName: 'b-' } };
    expect([named, generated, {}].map((object) => nameOf(object))).toEqual(['a', 'b-', '']);
    expect([named, generated].map((object) => namespaceOf(object))).toEqual(['apps', undefined]);
    expect([named, generated, {}].map((object) => describeManifest(object, 'shop'))).toEqual([
      'Job shop/a',
      'object shop/b-*',
      'object shop/*',
    ]);
  });
});
