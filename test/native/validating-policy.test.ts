import { describe, expect, it } from 'vitest';
import { valueAt } from '../../src/base/json/field-path.ts';
import { nativeObjects } from '../../src/native/objects.ts';
import { floorsOf, validatingObjects } from '../../src/native/validating-policy.ts';
import { nativeDenials } from '../support/native-deny.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../support/worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const LABELS = { 'kubernetes.io/metadata.name': 'apps' };
const floor = (checks: JsonObject, rest: JsonObject = {}, name = 'floors'): JsonObject =>
  clusterPolicyDocument({ checks, ...rest }, name);

describe('a floor', () => {
  it.each([
    ['is exported', [floor({ 'probe-handler': { floor: 'Deny', allowed: ['exec'] } })], undefined],
    [
      'is exported when several policies set it without parameters',
      [
        floor({ 'single-failure': { floor: 'Deny' } }),
        floor({ 'single-failure': { floor: 'Warn' } }, { priority: 1 }, 'other'),
      ],
      undefined,
    ],
    ['that CEL cannot say is not exported', [floor({ 'exec-shell': { floor: 'Deny' } })], /CEL cannot say it/],
    [
      'is not exported when another policy has a say in its parameters',
      [
        floor({ 'probe-handler': { floor: 'Deny', allowed: ['exec'] } }),
        policyDocument({ checks: { 'probe-handler': { allowed: ['grpc'] } } }),
      ],
      /several policies decide/,
    ],
    [
      'is not exported when two policies set it and one its parameters',
      [
        floor({ 'probe-handler': { floor: 'Deny', allowed: ['exec'] } }),
        floor({ 'probe-handler': { floor: 'Warn' } }, { priority: 1 }, 'other'),
      ],
      /several policies decide/,
    ],
  ])('%s', (_, documents, why) => {
    const [found] = floorsOf(policySet(...documents));
    expect(found?.why ?? '').toMatch(why ?? /^$/);
    expect(found?.check === undefined).toBe(why !== undefined);
  });

  it('makes no policy if it is not exported', () =>
    expect(validatingObjects(floorsOf(policySet(floor({ 'exec-shell': { floor: 'Deny' } }))), 'probes')).toEqual([]));
});

describe('the validating policy', () => {
  const denials = nativeDenials(
    floorsOf(policySet(floor({ 'required-readiness': { floor: 'Deny' }, 'single-failure': { floor: 'Deny' } }))),
  );
  const pod = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [{ name: 'app' }], ...spec },
  });
  const template = (apiVersion: string, kind: string, spec: JsonObject = {}): JsonObject => ({
    apiVersion,
    kind,
    spec: { template: { metadata: {}, spec: { containers: [{ name: 'app' }], ...spec } } },
  });
  const bare = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    spec: { template: { spec: { containers: [{ name: 'app' }] } } },
  };
  const LACKS = ['required-readiness app readinessProbe'];
  const strict = { failureThreshold: 1, httpGet: { port: 80 } };

  it.each<[string, JsonObject, readonly string[]]>([
    ['a container without the probe', pod({}), LACKS],
    ['a container that starts again', pod({ restartPolicy: 'Always' }), LACKS],
    ['nothing in a Pod that may end', pod({ restartPolicy: 'OnFailure' }), []],
    ['nothing in a Job', template('batch/v1', 'Job', { restartPolicy: 'Always' }), []],
    ['a container of a Deployment', template('apps/v1', 'Deployment'), LACKS],
    ['a container of a template without metadata', bare, LACKS],
    [
      'nothing in a Pod that asks for probes',
      pod({}, { annotations: { 'probewright.dev/readiness-endpoint': '/a' } }),
      [],
    ],
    ['no proxy of a mesh', pod({ containers: [{ name: 'istio-proxy', livenessProbe: strict }] }), []],
    [
      'a sidecar, and no init container that ends',
      pod({
        containers: [{ name: 'app', readinessProbe: { httpGet: { port: 80 } } }],
        initContainers: [
          { name: 'sidecar', restartPolicy: 'Always', livenessProbe: strict },
          { name: 'once', livenessProbe: strict },
        ],
      }),
      ['single-failure sidecar livenessProbe'],
    ],
  ])('denies %s', (_, object, keys) => {
    expect(denials(object, null, LABELS).added).toEqual(keys);
  });

  it('denies no violation that the object had before', () => {
    const [before, after] = [
      template('apps/v1', 'Deployment'),
      template('apps/v1', 'Deployment', { hostNetwork: true }),
    ];
    expect(denials(after, before, LABELS).added).toEqual([]);
    expect(denials(after, null, LABELS).added).toEqual(LACKS);
  });

  it('tells ten findings, and counts the others', () => {
    const message = (count: number): string =>
      denials(pod({ containers: Array.from({ length: count }, (_, index) => ({ name: `c${index}` })) }), null, LABELS)
        .message;
    expect(message(10).split('; ')).toHaveLength(10);
    expect(message(12).split('; ').slice(10)).toEqual(['and 2 more']);
  });

  it('denies in no namespace that the webhooks do not see', () => {
    const snapshot = policySet(floor({ 'single-failure': { floor: 'Deny' } }));
    const [, denying] = validatingObjects(floorsOf(snapshot), 'probes');
    const injecting = nativeObjects(snapshot, 'probes').find(
      (one) => valueAt(one, ['metadata', 'name']) === 'probewright-inject-others',
    );
    const path = ['spec', 'matchResources'];
    expect(valueAt(denying, path)).toEqual(valueAt(injecting, path));
    expect(valueAt(denying, path)).toBeDefined();
  });
});
