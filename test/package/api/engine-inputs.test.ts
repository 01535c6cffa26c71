import { describe, expect, it } from 'vitest';
import {
  ENGINE_OPTIONS,
  engineInputs,
  invalidInput,
  refuseUnknownOptions,
  withoutPosition,
} from '../../../src/package/api/engine-inputs.ts';
import { InvalidInputError, type EngineOptions } from '../../../src/package/api/engine-options.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument } from '../../support/worlds.ts';

const POD = pod([appContainer()]);

/** The problems of arguments, as `place: message`. */
function refused(...args: unknown[]): string[] {
  try {
    engineInputs(...(args as Parameters<typeof engineInputs>));
  } catch (error) {
    if (error instanceof InvalidInputError) return error.problems.map(({ place, message }) => `${place}: ${message}`);
    throw error;
  }
  return [];
}

describe('the inputs of the engine', () => {
  it('are texts of JSON, each named for its argument', () => {
    const { manifests, world } = engineInputs(
      [POD, { kind: 'ConfigMap' }],
      { policies: [policyDocument({})], namespace: 'apps', now: new Date(5) },
      [clusterPolicyDocument({})],
    );
    const { texts } = manifests;
    const { namespace, kinds, now, snapshot, applied } = world;
    expect(texts.map(({ file }) => file)).toEqual(['objects[0]', 'objects[1]']);
    expect(texts[0]?.text).toBe(JSON.stringify(POD, undefined, 1));
    expect({ namespace, kinds, now }).toEqual({ namespace: 'apps', kinds: KNOWN_KINDS, now: 5 });
    expect(snapshot.policies.map(({ source }) => source)).toEqual(['ProbePolicy/apps/policy']);
    expect(applied.policies.map(({ source }) => source)).toEqual(['ClusterProbePolicy/cluster']);
  });

  it('have a namespace, no policies and the present without options', () => {
    const before = Date.now();
    const { manifests, world } = engineInputs(POD, {});
    const { namespace, now, snapshot } = world;
    expect(manifests.texts.map(({ file }) => file)).toEqual(['objects[0]']);
    expect([namespace, snapshot.policies]).toEqual(['default', []]);
    expect(now).toBeGreaterThanOrEqual(before);
    expect(now).toBeLessThanOrEqual(Date.now());
  });

  it('have custom kinds beside the known ones', () => {
    const workloadKinds = [{ group: 'example.test', kind: 'Thing', podTemplatePath: 'spec.template' }];
    const { kinds } = engineInputs([], { workloadKinds }).world;
    expect(kinds).toHaveLength(KNOWN_KINDS.length + 1);
    expect(kinds).toContainEqual(expect.objectContaining({ kind: 'Thing' }));
  });
});

describe('options', () => {
  const problemsOf = (options: unknown): string[] => {
    try {
      refuseUnknownOptions(options as EngineOptions, ENGINE_OPTIONS);
    } catch (error) {
      if (error instanceof InvalidInputError) return error.problems.map(({ place, message }) => `${place}: ${message}`);
      throw error;
    }
    return [];
  };

  it.each([
    [null, ['options: must be an object, not null']],
    [[], ['options: must be an object, not a list']],
    ['x', ['options: must be an object, not string']],
    [{ polices: [] }, ['options.polices: is not an option; did you mean "policies"?']],
    [
      { nameSpace: 'a', now: new Date(), zzzzzzzz: 1 },
      ['options.nameSpace: is not an option; did you mean "namespace"?', 'options.zzzzzzzz: is not an option'],
    ],
    [{ constructor: 1 }, ['options.constructor: is not an option']],
    [{ policies: [], namespace: 'a', workloadKinds: [], now: undefined }, []],
  ])('%j has these problems: %j', (options, problems) => expect(problemsOf(options)).toEqual(problems));
});

describe('an argument that cannot be used', () => {
  it.each([
    [[POD, { namespace: '' }], 'options.namespace: must be a text that is not empty, not an empty text'],
    [[POD, { namespace: 1 }], 'options.namespace: must be a text that is not empty, not number'],
    [[POD, { now: 'today' }], 'options.now: must be a valid Date'],
    [[POD, { now: new Date('x') }], 'options.now: must be a valid Date'],
    [['x', {}], 'objects[0]: must be a Kubernetes object, not string'],
    [[[POD, null], {}], 'objects[1]: must be a Kubernetes object, not null'],
    [[[[]], {}], 'objects[0]: must be a Kubernetes object, not a list'],
    [[POD, { policies: POD }], 'policies: must be a list of objects, not object'],
    [[POD, { policies: [1] }], 'policies[0]: must be a Kubernetes object, not number'],
    [[POD, {}, 'x'], 'apply: must be a list of objects, not string'],
    [[POD, {}, [undefined]], 'apply[0]: must be a Kubernetes object, not undefined'],
    [[{ toJSON: () => undefined }, {}], 'objects[0]: cannot be written as JSON: it has no value'],
    [[{ a: 1n }, {}], 'objects[0]: cannot be written as JSON: Do not know how to serialize a BigInt'],
  ])('%# is told with its place and what it is', (args, problem) => expect(refused(...args)).toEqual([problem]));

  it('is told with the field of a policy, and all problems together', () => {
    const policies = [policyDocument({ port: 70_000 }), policyDocument({ checks: { x: {} } }, 'other')];
    const problems = refused(POD, { policies });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^policies\[0\].*spec\.port/);
    expect(problems[1]).toMatch(/^policies\[1\].*spec\.checks/);
  });

  it('is told for custom kinds', () =>
    expect(refused(POD, { workloadKinds: [{ kind: 1 }] })[0]).toMatch(/^workloadKinds/));
});

it.each([
  ['objects[0]:3:5: text', 'objects[0]: text'],
  ['policies[12]:3:5: a:1:2: b', 'policies[12]: a:1:2: b'],
  ['apply[0]:1:1: text', 'apply[0]: text'],
  ['other[0]:1:1: text', 'other[0]:1:1: text'],
  ['in objects[0]:1:1: text', 'in objects[0]:1:1: text'],
])('the line %j is %j without the position in a text of JSON', (line, without) =>
  expect(withoutPosition(line)).toBe(without),
);

it('the error about one argument has its place', () =>
  expect(invalidInput('options', 'is wrong').problems).toEqual([{ place: 'options', message: 'is wrong' }]));
