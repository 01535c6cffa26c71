import { describe, expect, it } from 'vitest';
import { PROBE_KINDS, type ProbeKind } from '../../../src/engine/probe/probe.ts';
import { ApiServerVerdict } from '../../crds/api-server-verdict.ts';
import { clusterPolicyDocument, parsedPolicy, policyDocument } from '../../support/worlds.ts';
import { clusterSpecProblems, specProblems } from './spec-problems.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const LARGEST = 2_147_483_647;

describe('slowStart', () => {
  const read = (slowStart: unknown): unknown => parsedPolicy(policyDocument({ slowStart })).slowStart;
  const problems = (slowStart: unknown): string[] =>
    specProblems({ slowStart }).map((problem) => problem.replace('spec.slowStart.', ''));

  it.each(['startupSeconds', 'fromInitialDelaySeconds'])('takes %s from 1 to the largest int32, or null', (name) => {
    for (const value of [1, LARGEST, null]) expect(read({ [name]: value })).toEqual({ [name]: value });
    expect(problems({ [name]: 0 })).toEqual([`${name}: must be at least 1, not 0`]);
    expect(problems({ [name]: LARGEST + 1 })).toEqual([`${name}: must be at most ${LARGEST}, not ${LARGEST + 1}`]);
  });

  it.each([
    ['margin', 1, 10],
    ['minimumStarts', 1, 30],
    ['minimumSeconds', 1, 86_400],
    ['maximumSeconds', 1, 86_400],
  ])('takes learned.%s from %d to %d', (name, smallest, largest) => {
    for (const value of [smallest, largest])
      expect(read({ learned: { [name]: value } })).toEqual({
        learned: { [name]: value },
      });
    expect(problems({ learned: { [name]: smallest - 1 } })).toEqual([
      `learned.${name}: must be at least ${smallest}, not ${smallest - 1}`,
    ]);
    expect(problems({ learned: { [name]: largest + 1 } })).toEqual([
      `learned.${name}: must be at most ${largest}, not ${largest + 1}`,
    ]);
    expect(problems({ learned: { [name]: null } })).toHaveLength(1);
  });

  it('takes a margin with a fraction, and whole seconds and starts', () => {
    expect(read({ learned: { margin: 1.25 } })).toEqual({ learned: { margin: 1.25 } });
    for (const name of ['minimumStarts', 'minimumSeconds', 'maximumSeconds'])
      expect(problems({ learned: { [name]: 1.25 } })).toEqual([`learned.${name}: must be a whole number, not 1.25`]);
  });

  it('takes no learned times (null), the default ones ({}), and a range that is not upside down', () => {
    for (const learned of [null, {}, { minimumSeconds: 30, maximumSeconds: 30 }, { minimumSeconds: 86_400 }])
      expect(read({ learned })).toEqual({ learned });
    expect(problems({ learned: { minimumSeconds: 31, maximumSeconds: 30 } })).toEqual([
      'learned.minimumSeconds: must be at most maximumSeconds (30), not 31',
    ]);
  });
});

describe('the priority of a ClusterProbePolicy', () => {
  it('is an int32, which may be negative', () => {
    for (const priority of [-LARGEST - 1, -1, 0, LARGEST])
      expect(parsedPolicy(clusterPolicyDocument({ priority })).priority).toBe(priority);
    expect(clusterSpecProblems({ priority: -LARGEST - 2 })).toEqual([
      `spec.priority: must be at least ${-LARGEST - 1}, not ${-LARGEST - 2}`,
    ]);
    expect(clusterSpecProblems({ priority: LARGEST + 1 })).toEqual([
      `spec.priority: must be at most ${LARGEST}, not ${LARGEST + 1}`,
    ]);
    for (const spec of [{}, { priority: null }]) expect(parsedPolicy(clusterPolicyDocument(spec)).priority).toBe(0);
  });
});

describe('the annotations of a ClusterProbePolicy', () =>
  it('are Allow or Ignore', () => {
    for (const annotations of ['Allow', 'Ignore'] as const)
      expect(parsedPolicy(clusterPolicyDocument({ annotations })).annotations).toBe(annotations);
    expect(clusterSpecProblems({ annotations: 'Never' })).toEqual([
      'spec.annotations: must be Allow or Ignore, not "Never"',
    ]);
  }));

describe('the containers of a policy', () => {
  const read = (containers: unknown): unknown => parsedPolicy(policyDocument({ containers })).containers;

  it('are named, or all application containers, or the main container', () => {
    expect(read(['app', 'a-1'])).toEqual(['app', 'a-1']);
    expect(read(['*'])).toBe('all');
    expect(read(null)).toBe('main');
  });

  it.each([
    [['*', 'app'], ': "*" is every application container: list it alone'],
    [['app', '*'], ': "*" is every application container: list it alone'],
    [['a*'], '[0]: "a*" is not a container name: lower-case letters, digits and "-", such as "app"'],
    [['app', ''], '[1]: must not be empty'],
    [['app', 7], '[1]: must be a string, not 7; put it in quotes'],
  ])('cannot be %j', (containers, problem) =>
    expect(specProblems({ containers })).toEqual([`spec.containers${problem}`]),
  );
});

describe('the images of a policy', () => {
  it('make the policy speak of all containers, and set no checks', () => {
    const { images, containers } = parsedPolicy(policyDocument({ images: ['postgres', '*/keycloak'] }));
    expect([images, containers]).toEqual([['postgres', '*/keycloak'], 'all']);
    for (const checks of [{}, null, { 'named-port': { action: 'Off' } }])
      expect(specProblems({ images: ['postgres'], checks })).toEqual([
        'spec.checks: a policy with images sets no checks: they are for containers by name; write another policy',
      ]);
  });

  it('are no matter of a policy that sets checks alone', () => {
    expect(specProblems({ checks: { 'named-port': { action: 'Off' } } })).toEqual([]);
    expect(specProblems({ checks: { 'named-port': { action: 'Off' } }, containers: ['app'] })).toEqual([]);
  });

  it('are patterns of paths', () =>
    expect(specProblems({ images: ['postgres:16', 'UPPER'] })).toEqual([
      'spec.images[0]: must have no tag and no digest, such as postgres',
      'spec.images[1]: must be the path of an image without registry and tag, such as postgres, bitnami/postgresql or */keycloak',
    ]));
});

describe('the port of a policy', () =>
  it('is a number, a name, or null', () => {
    for (const port of [1, 65_535, 'http', null]) expect(parsedPolicy(policyDocument({ port })).port).toBe(port);
    expect(specProblems({ port: 0 })).toEqual(['spec.port: must be at least 1, not 0']);
    expect(specProblems({ port: 65_536 })).toEqual(['spec.port: must be at most 65535, not 65536']);
  }));

describe('an API server refuses, as the parser does,', () => {
  const server = new ApiServerVerdict('ProbePolicy');
  const objections = (spec: JsonObject): string[] => server.problems(server.pruned(policyDocument(spec)));
  /** As many fields as a probe may have at once. */
  const whole = (kind: ProbeKind): JsonObject => ({
    httpGet: {},
    ...{ initialDelaySeconds: 1, timeoutSeconds: 1, periodSeconds: 1, successThreshold: 1, failureThreshold: 1 },
    ...(kind !== 'readinessProbe' && { terminationGracePeriodSeconds: 1 }),
    disabled: false,
  });

  it.each(PROBE_KINDS)('a %s that is removed and described at once', (kind) => {
    const refused = [
      { probes: { [kind]: null }, kubernetesProbeEndpoints: { [kind]: '/' } },
      { probes: { [kind]: {} }, kubernetesProbeEndpoints: { [kind]: null } },
      { probes: { [kind]: whole(kind) }, kubernetesProbeEndpoints: { [kind]: null } },
      { probes: { [kind]: { disabled: true } }, kubernetesProbeEndpoints: { [kind]: '/' } },
      { probes: { [kind]: { disabled: true } }, kubernetesProbeEndpoints: { [kind]: null } },
    ];
    for (const spec of refused) {
      expect(objections(spec), JSON.stringify(spec)).not.toEqual([]);
      expect(specProblems(spec), JSON.stringify(spec)).toHaveLength(1);
    }
  });

  it.each(PROBE_KINDS)('and accepts a %s that is only removed, or only described', (kind) => {
    const other = kind === 'livenessProbe' ? 'readinessProbe' : 'livenessProbe';
    const accepted = [
      { probes: { [kind]: null }, kubernetesProbeEndpoints: { [kind]: null } },
      { probes: { [kind]: null }, kubernetesProbeEndpoints: { [other]: '/' } },
      { probes: { [other]: {} }, kubernetesProbeEndpoints: { [kind]: null } },
      { probes: { [kind]: { disabled: true } }, kubernetesProbeEndpoints: { [other]: '/' } },
      { probes: { [kind]: { disabled: false } }, kubernetesProbeEndpoints: { [kind]: '/' } },
      { probes: { [kind]: { periodSeconds: 5 } }, kubernetesProbeEndpoints: { [kind]: '/' } },
      { probes: { [kind]: whole(kind) }, kubernetesProbeEndpoints: { [kind]: '/' } },
    ];
    for (const spec of accepted) {
      expect(objections(spec), JSON.stringify(spec)).toEqual([]);
      expect(specProblems(spec), JSON.stringify(spec)).toEqual([]);
    }
  });

  it('images beside checks', () => {
    expect(objections({ images: ['postgres'], checks: {} })).not.toEqual([]);
    expect(objections({ images: ['postgres'] })).toEqual([]);
    expect(objections({ checks: {} })).toEqual([]);
  });
});
