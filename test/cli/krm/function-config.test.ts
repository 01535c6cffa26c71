import { describe, expect, it } from 'vitest';
import { readFunctionConfig } from '../../../src/cli/krm/function-config.ts';

const own = (spec: unknown): object => ({ apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbewrightFunction', spec });
const map = (data: unknown): object => ({ apiVersion: 'v1', kind: 'ConfigMap', data });

function problemsOf(config: unknown): readonly unknown[] {
  try {
    return [readFunctionConfig(config)];
  } catch (error) {
    return (error as AggregateError).errors as readonly unknown[];
  }
}

const DEFAULTS = {
  mode: 'check',
  advice: false,
  strict: false,
  namespace: 'default',
  now: undefined,
  policies: [],
};

describe('a functionConfig', () => {
  it.each([undefined, null, own(undefined), own(null), own({}), map(undefined), map({})])(
    'that says nothing only reports: %j',
    (config) => expect(readFunctionConfig(config)).toEqual(DEFAULTS),
  );

  it('has each setting in its spec', () => {
    const policy = { kind: 'ProbePolicy' };
    const now = '1970-01-01T00:00:01Z';
    const spec = { mode: 'fix', advice: true, strict: true, namespace: 'shop', now, policies: [policy, 3] };
    expect(readFunctionConfig(own(spec))).toEqual({
      ...{ mode: 'fix', advice: true, strict: true, namespace: 'shop', now: 1000 },
      policies: [
        { file: 'functionConfig.spec.policies[0]', text: '{"kind":"ProbePolicy"}' },
        { file: 'functionConfig.spec.policies[1]', text: 'not an object' },
      ],
    });
    expect(readFunctionConfig(own({ strict: false, mode: 'check' }))).toEqual(DEFAULTS);
  });

  it('has each setting as a text in the data of a ConfigMap', () => {
    const data = { mode: 'fix', advice: 'true', strict: 'false', namespace: 'shop', policies: 'kind: A\n' };
    expect(readFunctionConfig(map(data))).toEqual({
      ...{ mode: 'fix', advice: true, strict: false, namespace: 'shop', now: undefined },
      policies: [{ file: 'functionConfig.data.policies', text: 'kind: A\n' }],
    });
  });

  it.each<[config: unknown, problem: string]>([
    [3, 'functionConfig: '],
    [{}, 'functionConfig: must be a probewright.dev/v1alpha1 ProbewrightFunction or a v1 ConfigMap, not '],
    [{ ...map({}), apiVersion: 'v2' }, 'functionConfig: must be a probewright.dev/v1alpha1 ProbewrightFunction'],
    [{ ...map({}), kind: 'Secret' }, 'functionConfig: must be a probewright.dev/v1alpha1 ProbewrightFunction'],
    [{ ...own({}), apiVersion: 'v1' }, 'functionConfig: must be a probewright.dev/v1alpha1 ProbewrightFunction'],
    [{ ...own({}), kind: 'ProbePolicy' }, 'functionConfig: must be a probewright.dev/v1alpha1 ProbewrightFunction'],
    [own([]), 'functionConfig.spec: '],
    [own({ mood: 'fix' }), 'functionConfig.spec.mood: '],
    [own({ mode: 'repair' }), 'functionConfig.spec.mode: '],
    [own({ mode: null }), 'functionConfig.spec.mode: '],
    [own({ advice: 'true' }), 'functionConfig.spec.advice: '],
    [own({ strict: 1 }), 'functionConfig.spec.strict: '],
    [own({ namespace: 1 }), 'functionConfig.spec.namespace: '],
    [own({ now: 1 }), 'functionConfig.spec.now: '],
    [own({ now: 'today' }), 'functionConfig.spec.now: must be an instant such as 2027-01-31T00:00:00Z'],
    [own({ policies: 'kind: A' }), 'functionConfig.spec.policies: '],
    [map({ advice: true }), 'functionConfig.data.advice: '],
    [map({ advice: 'yes' }), 'functionConfig.data.advice: '],
    [map({ policies: [] }), 'functionConfig.data.policies: '],
    [map('mode: fix'), 'functionConfig.data: '],
  ])('is refused with the path and the reason: %j', (config, problem) =>
    expect(problemsOf(config)).toEqual([expect.stringContaining(problem)]),
  );

  it('is refused with all its problems', () => {
    expect(problemsOf(own({ mode: 'repair', strict: 1 }))).toHaveLength(2);
  });
});
