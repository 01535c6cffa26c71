import { describe, expect, it } from 'vitest';
import { describeDefaulting } from '../../support/defaulting-cases.ts';
import { appContainer, containerNamed, mutation, pod, policyDocument, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const endpoints = {
  kubernetesProbeEndpoints: {
    startupProbe: '/healthcheck/ready',
    livenessProbe: '/healthcheck/live',
    readinessProbe: '/healthcheck/foo',
  },
};

const readinessPolicy = (path = '/r'): JsonObject => ({ kubernetesProbeEndpoints: { readinessProbe: path } });

const withAnnotations = (annotations: Record<string, string>, ...containers: JsonObject[]): JsonObject =>
  pod(containers.length > 0 ? containers : [appContainer()], {
    metadata: {
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`probewright.dev/${key}`, value]),
      ),
    },
  });

describe('the probes of a container', () => describeDefaulting('default-probes'));

describe('the probes of a container in a mesh', () => describeDefaulting('mesh'));

describe('annotations beyond what an object may have', () => {
  const longest = 256 * 1024;

  it('have no effect together, and one warning says so', () => {
    const skip = { skip: 'all', containers: 'x,'.repeat(longest / 2) };
    const { patch, warnings } = mutation(withAnnotations(skip), policySet(policyDocument(endpoints)));
    expect(warnings).toEqual([
      'annotations probewright.dev/* are ignored: they are longer than the 256 KiB that an object may have',
    ]);
    // No room for the annotation that says where the probes came from.
    expect(patch).toHaveLength(3);
  });

  it('are not read as what was injected before', () => {
    const own = { httpGet: { path: '/own', port: 'http' } };
    const injected = JSON.stringify({ app: { livenessProbe: 'safety' }, ['x'.repeat(longest)]: {} });
    const written = withAnnotations({ injected }, appContainer({ livenessProbe: own }));
    const short = withAnnotations(
      { injected: '{"app":{"livenessProbe":"safety"}}' },
      appContainer({ livenessProbe: own }),
    );
    const policies = policySet(
      policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/own', readinessProbe: '/r' } }),
    );
    // An injected liveness probe is guarded, an author's is not.
    expect(containerNamed(mutation(short, policies).after, 'app')['startupProbe']).toBeDefined();
    expect(containerNamed(mutation(written, policies).after, 'app')['startupProbe']).toBeUndefined();
  });

  it('that name hundreds of containers which are not there are told of by the first twenty', () => {
    const names = Array.from({ length: 500 }, (_, index) => `none-${index}`);
    const { defaulting } = mutation(
      withAnnotations({ containers: names.join(','), 'startup-seconds': '60' }),
      policySet(),
    );
    const missing = (defaulting?.notInjected ?? []).filter(({ code }) => code === 'container-not-found');
    expect(missing.map(({ container }) => container)).toEqual(names.slice(0, 20));
  });

  it('that are unknown are told of by the first twenty', () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`unknown-${index}`, '']));
    const { defaulting } = mutation(withAnnotations(unknown), policySet(policyDocument(endpoints)));
    expect(defaulting?.warnings).toHaveLength(20);
  });
});

describe('provenance', () =>
  it('is left out when the annotations are full, so that the Pod is still accepted', () => {
    const annotations = { big: 'x'.repeat(256 * 1024 - 10) };
    const { patch } = mutation(
      pod([appContainer()], { metadata: { annotations } }),
      policySet(policyDocument(readinessPolicy())),
    );
    expect(patch?.map(({ path }) => path)).toEqual(['/spec/containers/0/readinessProbe']);
  }));
