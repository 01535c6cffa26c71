import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isOfReadKind, NO_TEXTS } from '../../../src/cli/input/manifests.ts';
import { worldOf } from '../../../src/cli/input/world.ts';
import { flatGiven, type FlatGiven } from '../../support/flat-given.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { outlineOf, type Outline } from '../../../src/yaml/reading/outline.ts';
import { NOW } from '../../support/now.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Manifest } from '../../../src/cli/input/manifest.ts';

describe('the outline of a document', () => {
  it.each([
    ['apiVersion: v1\nkind: ConfigMap\n', { apiVersion: 'v1', kind: 'ConfigMap' }],
    ['# a\n\n--- # b\n  # c\nkind: "Role" # d\n\napiVersion: \'a.b/v1\'\n', { apiVersion: 'a.b/v1', kind: 'Role' }],
    ['kind: Role\r\nrules:\r\n- a\r\n-\r\n  b: c\r\n', { kind: 'Role' }],
    ['data: |\n  kind: Pod\n  "\n\n# a\n  kind: [\nkind: Secret', { kind: 'Secret' }],
    ['openapi: 3.0.0\ninfo: { title: "a b" }\n', undefined],
    ['openapi: 3.0.0\ninfo: { title: a, b: [c] }\npaths: {}\n', {}],
    ["a: \"b: c\"\nd: 'it''s: e'\n", {}],
  ])('is what plain block style shows: %j', (text, outline) => {
    expect(outlineOf(text)).toEqual(outline);
  });

  it.each([
    ...['', '# a\n', '---\n', '- kind: Pod\n', 'word\n', '{"kind": "Pod"}', '[a]', '  kind: Pod\n', '\tkind: Pod\n'],
    ...[
      '%YAML 1.1\n---\nkind: Pod\n',
      '--- |\n kind: Pod\n',
      '--- {kind: Pod}\n',
      '...\nkind: Pod\n',
      '\uFEFFkind: Pod',
    ],
    ...[
      '"kind": Pod\n',
      '? kind\n: Pod\n',
      'kind : Pod\n',
      '!!str kind: Pod\n',
      '&a kind: Pod\n',
      '<<: *a\n',
      '*a : b',
    ],
    ...[
      'kind:\n  Pod\n',
      'kind: Config\n  Map\n',
      'kind: Config\n\n # a\n Map\n',
      'kind: |\n  Pod\n',
      'kind: &a Pod\n',
    ],
    ...[
      'kind: !!str Pod\n',
      'kind: *a\n',
      'kind: "P\\x6fd"\n',
      'kind: y\n',
      'kind: Null\n',
      'kind: 1\n',
      'kind: Pod#a b\n',
    ],
    ...['kind: Role\nkind: Pod\n', 'kind: Role\n"kind": Pod\n', 'apiVersion: v1\napiVersion: v2\n', 'kind:Pod\n'],
    ...['a: "\nkind: Pod\n"\n', "a: 'b\nkind: Role\n'\n", 'a: [\nkind: Role]\n', 'a: {\nkind: Role\n}\n', 'a: "b\\"\n'],
    ...['a: b\n- c\n', 'a: b: c\n', 'kind: Role\rkind: Pod\r', 'a: {{ b }}\n', '{{ if a }}\nkind: Role\n'],
  ])('is in doubt, so the document is parsed: %j', (text) => {
    expect(outlineOf(text)).toBeUndefined();
  });
});

const LINES = [
  ...[
    'kind: ConfigMap',
    'kind: Role',
    'kind: Deployment',
    'kind: "Pod"',
    "kind: 'Pod' # a",
    'kind : Pod',
    '? kind',
    ': Pod',
  ],
  ...[
    '"kind": Pod',
    '!!str kind: Pod',
    '&a kind: Pod',
    '<<: *a',
    '*a : Pod',
    'kind: PodList',
    'kind:',
    'kind: |',
    'kind: y',
  ],
  ...[
    '  Pod',
    '  kind: Pod',
    '  text',
    '  "a',
    '  b"',
    "  'c",
    '  [d',
    '  }',
    'a: "b',
    'kind: Pod"',
    'a: {',
    'kind: Pod }',
  ],
  ...[
    'apiVersion: v1',
    'apiVersion: apps/v1',
    'apiVersion: "v1"',
    'apiVersion: probewright.dev/v1alpha1',
    'apiVersion:',
  ],
  ...[
    'data: |',
    'data: >-',
    'data: |2',
    'a: &a',
    '  kind: Role',
    'b: *a',
    'items:',
    '- kind: Pod',
    '- a',
    '  apiVersion: v1',
  ],
  ...[
    '---',
    '--- # a',
    '--- |',
    '--- {kind: Pod}',
    '...',
    '%YAML 1.1',
    '# a',
    '',
    ' ',
    '\tkind: Pod',
    '\uFEFFkind: Pod',
  ],
  ...[
    '{kind: Pod, apiVersion: v1}',
    '{"kind": "Pod", "apiVersion": "v1"}',
    'kind: Pod\rkind: Role',
    'metadata: { name: a }',
  ],
  ...['spec: { containers: [{ name: a, image: b }] }', 'spec:', '  template: { spec: { containers: [{ name: a }] } }'],
];

/** The lines of LINES, some of them with a carriage return, beside whole documents. */
const texts = fc
  .array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\n', '\n', '\r\n')), { maxLength: 14 })
  .map((lines) => lines.map((line) => line.join('')).join(''));

function read(text: string, skipsOtherKinds: boolean, isFound: boolean): FlatGiven {
  const settings = { kinds: KNOWN_KINDS, namespace: 'default', now: NOW, skipsOtherKinds };
  return flatGiven(worldOf({ texts: [{ file: 'a.yaml', text, isFound }], problems: [] }, NO_TEXTS, settings));
}

const manifestsIn = ({ texts: all }: FlatGiven): readonly Manifest[] => all.flatMap(({ manifests }) => manifests);
const shown = ({ object, document, path }: Manifest): unknown => [
  object,
  document.index,
  path,
  document.position(path),
];

describe('a document that is not parsed', () => {
  it('is none that a command reads, and the others are the same', () =>
    fc.assert(
      fc.property(texts, (text) => {
        const [all, some] = [read(text, false, false), read(text, true, false)];
        const readOnes = (inputs: FlatGiven): readonly unknown[] =>
          manifestsIn(inputs)
            .filter(({ object }) => isOfReadKind(textsOf(object), KNOWN_KINDS))
            .map(shown);
        expect(readOnes(some)).toEqual(readOnes(all));
        expect(some.snapshot.policies).toEqual(all.snapshot.policies);
        expect(all.problems).toEqual(expect.arrayContaining([...some.problems]));
      }),
      { numRuns: runs(3000) },
    ));

  it('counts as it did, if it is YAML', () =>
    fc.assert(
      fc.property(texts, fc.boolean(), (text, isFound) => {
        fc.pre(read(text, false, false).problems.length === 0);
        const all = read(text, false, isFound);
        fc.pre(parseAllDocuments(text, { version: '1.1' }).every(isFaultless));
        const some = read(text, true, isFound);
        const kinds = (inputs: FlatGiven): readonly unknown[] =>
          manifestsIn(inputs).map(({ object, document }) => [object['apiVersion'], object['kind'], document.index]);
        expect(kinds(some)).toEqual(kinds(all));
        expect([some.problems, some.passedOver]).toEqual([all.problems, all.passedOver]);
      }),
      { numRuns: runs(3000) },
    ));
});

function textsOf({ apiVersion, kind }: JsonObject): Outline {
  return {
    ...(typeof apiVersion === 'string' && { apiVersion }),
    ...(typeof kind === 'string' && { kind }),
  };
}

function isFaultless({ errors }: { readonly errors: readonly unknown[] }): boolean {
  return errors.length === 0;
}
