import { describe, expect, it } from 'vitest';
import { NumberLiteral } from '../../../src/base/json/json-value.ts';
import { manifestsOf } from '../../../src/cli/input/manifest.ts';
import {
  isOfReadKind,
  manifestsAsSent,
  manifestsIn,
  parsedTexts,
  workloadsIn,
} from '../../../src/cli/input/manifests.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';

const FILE = 'all.yaml';
const read = (text: string): ReturnType<typeof manifestsOf> => manifestsOf({ file: FILE, text });

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { metadata: { labels: { app: web } }, spec: { containers: [{ name: app, image: x }] } } }
`;

describe('the workloads of texts', () => {
  const settings = { kinds: KNOWN_KINDS, namespace: 'shop' };

  it('are the objects of known kinds, with the namespace that stands in for a missing one', () => {
    const text = `${DEPLOYMENT}---\nkind: ConfigMap\napiVersion: v1\n---\n${DEPLOYMENT.replace('web }', 'b, namespace: apps }')}`;
    const parsed = { texts: parsedTexts([{ file: FILE, text }], settings) };
    expect(manifestsIn(parsed)).toHaveLength(3);
    expect(workloadsIn(parsed, settings).map(({ name, namespace, pods }) => [name, namespace, pods.length])).toEqual([
      ['web', 'shop', 1],
      ['b', 'apps', 1],
    ]);
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
