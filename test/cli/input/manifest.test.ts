import { describe, expect, it } from 'vitest';
import {
  describeManifest,
  manifestsOf,
  nameOf,
  namespaceOf,
  placeOfManifest,
  workloadIn,
  type Manifest,
} from '../../../src/cli/input/manifest.ts';
import { NO_OBJECT } from '../../../src/cli/input/passed-over.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { NOW } from '../../support/now.ts';
import type { Position } from '../../../src/yaml/reading/documents.ts';

const FILE = 'all.yaml';
const read = (text: string): ReturnType<typeof manifestsOf> => manifestsOf({ file: FILE, text });
const pod = (name: string): string => `kind: Pod\napiVersion: v1\nmetadata: { name: ${name} }\n`;

describe('the objects of a text', () => {
  it('are its documents and the items of its lists, also of lists in lists, each with its place', () => {
    const list = 'kind: List\nitems:\n- { kind: A }\n- kind: PodList\n  items:\n  - { kind: B }\n  - 3\n- null\n';
    const { manifests, problems } = read(`${pod('web')}---\n${list}---\n# no object\n`);
    expect(manifests.map((each) => [each.object['kind'], each.path, placeOfManifest(each)])).toEqual([
      ['Pod', [], 'all.yaml:1:1'],
      ['A', ['items', 0], 'all.yaml:7:3'],
      ['B', ['items', 1, 'items', 0], 'all.yaml:10:5'],
    ]);
    expect(problems).toEqual([{ file: 'all.yaml', line: 11, column: 5, message: NO_OBJECT }]);
  });

  it.each([
    ['an object with items that is no list', 'kind: Bag\nitems: [{ kind: A }]\n'],
    ['a list without items', 'kind: PodList\nitems: 3\n'],
    ['items without a kind', 'items: [{ kind: A }]\n'],
  ])('are whole for %s', (_what, text) => {
    expect(read(text).manifests.map(({ path }) => path)).toEqual([[]]);
  });

  it('are no scalars and lists, each of which is a problem; an empty document is none', () => {
    const { manifests, problems } = read('- 1\n---\n---\nnull\n---\ntext\n---\nkind: A\n');
    expect(manifests.map(({ object }) => object)).toEqual([{ kind: 'A' }]);
    expect(problems).toEqual([
      { file: FILE, line: 1, column: 1, message: NO_OBJECT },
      { file: FILE, line: 6, column: 1, message: NO_OBJECT },
    ]);
  });

  it('beside a document with a syntax error are read, and the error has its line', () => {
    const { manifests, problems } = read(`${pod('a')}---\na: [\n---\n${pod('b')}`);
    expect(manifests.map(({ object }) => nameOf(object))).toEqual(['a', 'b']);
    expect(problems.map(({ file }) => file)).toEqual([FILE]);
    expect(problems[0]?.line).toBeGreaterThan(4);
  });

  it('are told document by document while they are read', () => {
    const seen: number[] = [];
    const onManifests = (found: readonly Manifest[]): number => seen.push(found.length);
    manifestsOf({ file: FILE, text: `${pod('a')}---\nkind: List\nitems: [{}, {}]\n---\n3\n` }, { onManifests });
    expect(seen).toEqual([1, 2, 0]);
  });

  it('have the places and problems of the source from which a text was rendered, and its values', async () => {
    const placeOf = ({ line }: Position) => ({ file: FILE, line: line + 100, column: 7 });
    const chartValueOf = ({ line }: Position, path: readonly unknown[]) =>
      Promise.resolve({ text: `${line} ${path.join('.')}`, file: 'values.yaml' });
    const rendered = { file: FILE, text: `${pod('a')}spec:\n  x: 1\n---\n- 1\n---\na: [`, placeOf, chartValueOf };
    const { manifests, problems } = manifestsOf(rendered);
    const [manifest] = manifests;
    expect(manifest && placeOfManifest(manifest)).toBe('all.yaml:101:7');
    expect(await manifest?.document.chartValueOf?.(['spec', 'x'])).toEqual({ text: '5 spec.x', file: 'values.yaml' });
    expect(problems.map(({ line, column }) => [line > 100, column])).toEqual([
      [true, 7],
      [true, 7],
    ]);
    const [plain] = manifestsOf({ file: FILE, text: pod('a'), placeOf }).manifests;
    expect(plain && 'chartValueOf' in plain.document).toBe(false);
  });
});

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: app, image: x }] } } }
`;

describe('the workloads of texts', () => {
  const settings = { kinds: KNOWN_KINDS, namespace: 'shop', now: NOW };

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
