import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../../src/base/json/json-value.ts';
import { defaultedPodSpec } from '../../../src/engine/probe/api-defaults.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS } from '../../../src/engine/probe/probe.ts';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/time/timing.ts';
import { anyPod, validPod, wildValue } from '../../support/arbitraries.ts';
import { clusterPolicyDocument, mutation, policyDocument, policySet } from '../../support/worlds.ts';
import { runs } from '../../support/runs.ts';

/** Sets that between them use every way to a probe. */
const worlds = [
  policySet(
    clusterPolicyDocument({
      containers: ['*'],
      kubernetesProbeEndpoints: { startupProbe: '/s', livenessProbe: '/l', readinessProbe: '/r' },
    }),
  ),
  policySet(
    clusterPolicyDocument({
      kubernetesProbeEndpoints: { livenessProbe: '/l' },
      slowStart: { fromInitialDelaySeconds: 30 },
    }),
    policyDocument({
      containers: ['nginx', 'init-0'],
      port: 'web',
      kubernetesProbeEndpoints: { readinessProbe: '/r' },
    }),
    policyDocument(
      { containers: ['*'], workloadSelector: { matchLabels: { app: 'web' } }, slowStart: { startupSeconds: 120 } },
      'web',
    ),
  ),
  policySet(
    clusterPolicyDocument({
      containers: ['redis'],
      probes: { livenessProbe: { tcpSocket: { port: 6379 } }, startupProbe: null },
    }),
    clusterPolicyDocument({ containers: ['*'], slowStart: { fromInitialDelaySeconds: 1 } }, 'slow'),
  ),
  policySet(
    clusterPolicyDocument({
      containers: ['*'],
      kubernetesProbeEndpoints: { startupProbe: '/s', livenessProbe: '/l', readinessProbe: '/r' },
      probes: { livenessProbe: { initialDelaySeconds: 40, periodSeconds: 5, failureThreshold: 2 } },
      slowStart: { fromInitialDelaySeconds: 30 },
      checks: { 'required-liveness': { action: 'Deny', floor: 'Deny', containers: 'all' } },
    }),
    policyDocument({
      containers: ['*'],
      probes: { livenessProbe: { disabled: true }, startupProbe: { tcpSocket: { port: 80 }, periodSeconds: 60 } },
    }),
  ),
];
const world = fc.constantFrom(...worlds);

/** The object without the three probes of its containers and our annotation: what must not change. */
function rest(pod: JsonObject): unknown {
  const copy = structuredCloneJson(pod) as {
    metadata?: { annotations?: Record<string, unknown> };
    spec: Record<string, JsonObject[] | undefined>;
  };
  if (copy.metadata?.annotations !== undefined) {
    delete copy.metadata.annotations['probewright.dev/injected'];
    if (Object.keys(copy.metadata.annotations).length === 0) delete copy.metadata.annotations;
  }
  for (const list of ['containers', 'initContainers']) {
    copy.spec[list] = copy.spec[list]?.map((container) =>
      Object.fromEntries(
        Object.entries(container).filter(([key]) => !(PROBE_KINDS as readonly string[]).includes(key)),
      ),
    );
  }
  return JSON.stringify(copy);
}

const structuredCloneJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function containersOf(pod: JsonObject): JsonObject[] {
  const { containers = [], initContainers = [] } = pod['spec'] as Record<string, JsonObject[] | undefined>;
  return [...containers, ...initContainers];
}

describe('for 10,000 random Pods', () => {
  it('applying the patch and asking again gives no patch', () => {
    fc.assert(
      fc.property(anyPod, world, (pod, policies) => {
        const { after } = mutation(pod, policies);
        expect(mutation(after, policies).patch).toBeUndefined();
        const stored = { ...after, spec: defaultedPodSpec((after['spec'] ?? {}) as JsonObject) };
        expect(mutation(stored, policies).patch).toBeUndefined();
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('nothing but absent probes and the annotation is added, and everything unknown survives', () => {
    fc.assert(
      fc.property(anyPod, world, (pod, policies) => {
        const before = JSON.stringify(pod);
        const { after } = mutation(pod, policies);
        expect(JSON.stringify(pod)).toBe(before);
        expect(rest(after)).toBe(rest(pod));
        containersOf(pod).forEach((container, index) => {
          for (const kind of PROBE_KINDS)
            if (container[kind] !== undefined && container[kind] !== null)
              expect(containersOf(after)[index]?.[kind]).toEqual(container[kind]);
        });
      }),
      { numRuns: runs(10_000) },
    );
  });
});

describe('an injected probe', () => {
  it('is one that the API server accepts, on a port that the container declares for TCP', () => {
    fc.assert(
      fc.property(validPod, world, (pod, policies) => {
        for (const { container, kind, probe } of mutation(pod, policies).defaulting?.injections ?? []) {
          expect(Object.keys(probe).every((key) => [...HANDLER_KINDS, ...PROBE_INTEGERS].includes(key as never))).toBe(
            true,
          );
          const handlers = HANDLER_KINDS.filter((handler) => probe[handler] !== undefined);
          expect(handlers).toHaveLength(1);
          for (const field of PROBE_INTEGERS)
            if (probe[field] !== undefined)
              expect(probe[field]).toBeGreaterThanOrEqual(field === 'initialDelaySeconds' ? 0 : 1);
          expect(['application', 'sidecar']).toContain(container.role);
          const handler = probe[handlers[0] ?? 'exec'];
          const port = isJsonObject(handler) ? handler['port'] : undefined;
          if (typeof port === 'string') {
            expect(container.spec['ports']).toContainEqual(expect.objectContaining({ name: port }));
            expect(container.spec['ports']).not.toContainEqual(
              expect.objectContaining({ name: port, protocol: 'UDP' }),
            );
          }
          if (kind !== 'readinessProbe') expect(probe['successThreshold'] ?? 1).toBe(1);
        }
      }),
      { numRuns: runs(3000) },
    );
  });

  it('never takes time to start away from a container with a liveness probe of its own', () => {
    fc.assert(
      fc.property(validPod, (pod) => {
        for (const { container, kind, probe } of mutation(pod, worlds[0] as (typeof worlds)[0]).defaulting
          ?.injections ?? []) {
          const own = container.spec['livenessProbe'];
          const annotated = JSON.stringify(pod['metadata']).includes('startup-seconds');
          if (kind !== 'startupProbe' || !isJsonObject(own) || annotated) continue;
          expect(guaranteedStartSeconds(probeTiming(probe))).toBeGreaterThanOrEqual(
            guaranteedStartSeconds(probeTiming(own)),
          );
        }
      }),
      { numRuns: runs(3000) },
    );
  });
});

describe('whatever the object is', () => {
  it('the answer is a valid, allowing AdmissionReview', () => {
    const wild = wildValue(
      ...['metadata', 'spec', 'containers', 'name', 'ports', 'livenessProbe', 'annotations', 'labels'],
      ...['initContainers', 'ownerReferences', 'httpGet'],
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('metadata', 'spec'), wild), world, (object, policies) => {
        expect(
          mutation({ ...object, apiVersion: 'v1', kind: 'Pod' }, policies, { request: { namespace: 'apps', name: '' } })
            .allowed,
        ).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });
});
