import { describe, expect, it } from 'vitest';
import { NumberLiteral } from '../../../src/base/json/json-value.ts';
import { nameOf, placeOfManifest, type Manifest } from '../../../src/cli/input/manifest.ts';
import { manifestsOf, isOfReadKind, manifestsAsSent, parsedTexts } from '../../../src/cli/input/manifests.ts';
import { LONGEST_PARSED, NO_OBJECT } from '../../../src/cli/input/passed-over.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import type { Position } from '../../../src/yaml/reading/documents.ts';

const FILE = 'all.yaml';
const read = (text: string): ReturnType<typeof manifestsOf> => manifestsOf({ file: FILE, text });
const pod = (name: string): string => `kind: Pod\napiVersion: v1\nmetadata: { name: ${name} }\n`;

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: app, image: x }] } } }
`;

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

describe('a document', () => {
  it.each([
    [true, 'probewright.dev/v1alpha1', 'Unknown'],
    [true, 'probewright.dev/v9', undefined],
    [true, 'v1', 'DeploymentList'],
    [true, 'v2', 'Namespace'],
    [true, 'v1', 'Service'],
    [true, 'apps/v1', 'Deployment'],
    [false, 'v1', undefined],
    [false, 'v1', 'ConfigMap'],
    [false, 'other.probewright.dev/v1', 'Policy'],
  ])('may be read: %s for %s %s', (expected, apiVersion, kind) =>
    expect(isOfReadKind({ apiVersion, ...(kind !== undefined && { kind }) }, KNOWN_KINDS)).toBe(expected),
  );
});

describe('a parsed text', () => {
  const parsed = (text: string, isFound: boolean) =>
    parsedTexts([{ file: FILE, text, isFound }], { kinds: KNOWN_KINDS });

  it('that nobody named is passed over with the reason, and has no problem', () => {
    const [found] = parsed('just: a file\n', true);
    expect([found?.manifests, found?.problems, found?.passedOver]).toEqual([[], [], { file: FILE, reason: 'object' }]);
  });

  it('that is named has its objects and problems, and is never passed over', () => {
    const [named] = parsed(`${DEPLOYMENT}---\n- 1\n`, false);
    expect([named?.manifests.length, named?.problems.length, named?.passedOver]).toEqual([1, 1, undefined]);
  });
});

describe('a long text that nobody named', () => {
  const padding = `# ${'x'.repeat(LONGEST_PARSED)}\n`;
  const found = (text: string) => parsedTexts([{ file: FILE, text, isFound: true }], { kinds: KNOWN_KINDS })[0];

  it.each([
    ['plain', "apiVersion: v1\n'kind': Pod\n"],
    ['as JSON', '{"a": 1, "kind": "Pod", "apiVersion": "v1"}\n'],
    ['in a list', '{"a": 1, "kind": "PodList", "items": [{"kind": "Pod", "apiVersion": "v1"}]}\n'],
    ['with an escape in JSON', '{"a": 1, "kind": "Pod", "\\u0061piVersion": "v1"}\n'],
    ['with a short escape', '"apiVersio\\x6e": v1\n\'kind\': Pod\n'],
    ['with a long escape', '"api\\U00000056ersion": v1\n\'kind\': Pod\n'],
    ['with an escaped end of line', '? "api\\\n  Version"\n: v1\n\'kind\': Pod\n'],
    ['with an escaped end of line of Windows', '? "api\\\r\n  Version"\r\n: v1\r\n\'kind\': Pod\r\n'],
    ['in the letters of a tag', "!!binary YXBpVmVyc2lvbg==: v1\n'kind': Pod\n"],
    [
      'in the letters of a tag with its whole name',
      "{ !<tag:yaml.org,2002:binary> YXBpVmVyc2lvbg==: v1, 'kind': Pod }\n",
    ],
  ])('is a manifest if it holds an object, %s', (_how, text) => {
    const read = found(padding + text);
    expect(read?.manifests.map(({ object }) => [object['apiVersion'], object['kind']])).toEqual([['v1', 'Pod']]);
    expect(read?.passedOver).toBeUndefined();
  });

  it('is a template, or nothing, as a short text is', () => {
    expect(found(`${padding}a: {{ b }}\n`)?.passedOver).toEqual({ file: FILE, reason: 'template' });
    expect(found(padding)?.passedOver).toBeUndefined();
  });

  it('is a manifest with a problem if it has a kind and cannot be read', () => {
    expect(found(`${padding}kind: Pod\n  x: [\n`)?.problems).not.toEqual([]);
  });

  it.each([
    ['data', '[{ "kind": "user", "name": "Zo\\u00eb", "html": "\\u003cb\\u003e" }]\n'],
    ['neither YAML nor JSON', 'a: [\nb: "\n'],
  ])('is not parsed without an object: %s', (_what, text) => {
    const read = found(padding + text);
    expect(read?.passedOver).toEqual({ file: FILE, reason: 'object' });
    expect([read?.manifests, read?.problems]).toEqual([[], []]);
  });
});

describe('the objects as they are sent', () => {
  const sent = (text: string): readonly unknown[] => {
    const parsed = { file: FILE, text, ...read(text) };
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
