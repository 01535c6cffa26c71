import { describe, expect, it } from 'vitest';
import {
  describeManifest,
  manifestsAsSent,
  manifestsIn,
  manifestsOf,
  nameOf,
  namespaceOf,
  NO_OBJECT,
  placeOfManifest,
  policyOfPod,
  problemsOfDocuments,
  workloadIn,
  workloadsIn,
  type Manifest,
} from '../../../src/cli/input/manifest.ts';
import { inputsOf, NO_TEXTS } from '../../../src/cli/input/inputs.ts';
import { NumberLiteral } from '../../../src/base/json/json-value.ts';
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
    expect(problems).toEqual([]);
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
    const placeOf = ({ line }: Position): Position => ({ line: line + 100, column: 7 });
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

describe('the problems in documents with a mark', () => {
  const linesOf = (text: string): readonly number[] => {
    const problems = text.split('\n').map((_, index) => ({ file: FILE, line: index + 1, column: 1, message: 'no' }));
    return problemsOfDocuments(text, problems, (line) => line.includes('MARK')).map(({ line }) => line);
  };

  it('are those of its lines, and a line between two documents counts for both', () => {
    expect(linesOf('a\n---\nb\nMARK\n--- # c\nd\n---\ne')).toEqual([2, 3, 4, 5]);
    expect(linesOf('MARK\n---\na')).toEqual([1, 2]);
    expect(linesOf('a\n---\nb\n--- # MARK')).toEqual([4]);
    expect(linesOf('a\n ---\nMARK')).toEqual([1, 2, 3]);
  });

  it('are none for a place outside the text, and for a text without problems', () => {
    const problem = { file: FILE, line: 9, column: 1, message: 'no' };
    expect(problemsOfDocuments('MARK', [problem], () => true)).toEqual([]);
    let asked = 0;
    expect(problemsOfDocuments('MARK', [], () => (asked += 1) > 0)).toEqual([]);
    expect(asked).toBe(0);
  });
});

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: app, image: x }] } } }
`;

describe('the workloads of texts', () => {
  const settings = { kinds: KNOWN_KINDS, namespace: 'shop', now: NOW };

  it('are the objects of known kinds, with the namespace that stands in for a missing one', () => {
    const text = `${DEPLOYMENT}---\nkind: ConfigMap\napiVersion: v1\n---\n${DEPLOYMENT.replace('web }', 'b, namespace: apps }')}`;
    const parsed = inputsOf({ texts: [{ file: FILE, text }], problems: [] }, NO_TEXTS, settings);
    expect(manifestsIn(parsed)).toHaveLength(3);
    expect(workloadsIn(parsed).map(({ name, namespace, pods }) => [name, namespace, pods.length])).toEqual([
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

  it('have the policy of their namespace, by the labels of their Pods', () => {
    const policy = (label: string): string =>
      `apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: p, namespace: shop }\nspec:\n  workloadSelector: { matchLabels: { app: ${label} } }\n  kubernetesProbeEndpoints: { readinessProbe: /readyz }\n`;
    const sources = (label: string): unknown => {
      const texts = { texts: [{ file: 'p.yaml', text: policy(label) }], problems: [] };
      const inputs = inputsOf({ texts: [{ file: FILE, text: DEPLOYMENT }], problems: [] }, texts, settings);
      const [workload] = workloadsIn(inputs);
      const [first] = workload?.pods ?? [];
      return workload && first && policyOfPod(workload, first, inputs.policies);
    };
    expect(JSON.stringify(sources('web'))).not.toBe(JSON.stringify(sources('other')));
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

describe('the objects as they are sent', () => {
  const sent = (text: string): readonly unknown[] => {
    const parsed = { file: FILE, text, manifests: read(text).manifests };
    return manifestsAsSent(parsed).map(({ object }) => object['num']);
  };

  it('keep a number of JSON as a literal where the API server refuses the number', () => {
    const most = '9223372036854775807';
    for (const literal of ['1.0', '1e3', '9223372036854775808', '-9223372036854775809', '123456789012345678901'])
      expect(sent(`{"num": ${literal}}`)).toEqual([new NumberLiteral(literal)]);
    for (const number of ['1', '-1', '0', most, `-9223372036854775808`])
      expect(sent(`{"num": ${number}}`)).toEqual([Number(number)]);
    expect(sent(`  \n{"kind": "List", "items": [{"num": 1.0}, {"num": 2}]}`)).toEqual([new NumberLiteral('1.0'), 2]);
  });

  it('have the numbers as they are read from YAML, which kubectl changes before it calls', () => {
    expect(sent('num: 1.0\n')).toEqual([1]);
    expect(sent('{"num": 1.0}\n---\n{"num": 2.0}\n')).toEqual([1, 2]);
    expect(sent('{num: 1.0}')).toEqual([1]);
    expect(sent('[{"num": 1.0}]')).toEqual([]);
  });

  it('have texts and other values as they are', () => {
    expect(sent('{"num": "1.0"}')).toEqual(['1.0']);
    expect(sent('{"num": [true, null]}')).toEqual([[true, null]]);
  });
});
