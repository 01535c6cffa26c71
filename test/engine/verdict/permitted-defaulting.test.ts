import { describe, expect, it } from 'vitest';
import { provenance } from '../../../src/engine/defaulting/patch.ts';
import { injectedBefore, permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { describeDefaulting } from '../../support/defaulting-cases.ts';
import { appContainer, clusterPolicyDocument, pod, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Injection } from '../../../src/engine/defaulting/injection.ts';

describe('a probe that may be injected', () => describeDefaulting('permitted-defaulting'));

describe('the probes that an earlier call injected', () => {
  const snapshot = policySet(
    clusterPolicyDocument({
      containers: ['*'],
      kubernetesProbeEndpoints: { livenessProbe: '/livez', readinessProbe: '/readyz' },
    }),
  );
  const policyOf = (object: JsonObject) => snapshot.policyFor('apps', readPod(object, POD_KIND).labels);
  const bare = pod([appContainer({})]);
  const given = permittedDefaulting(readPod(bare, POD_KIND), policyOf(bare));
  const probes = Object.fromEntries(given.injections.map(({ kind, probe }) => [kind, probe]));
  const annotations = { 'probewright.dev/injected': provenance(given.injections, undefined) };

  const kindsBefore = (container: JsonObject, metadata: JsonObject = { annotations }): string[] => {
    const object = pod([appContainer(container)], { metadata });
    return injectedBefore(readPod(object, POD_KIND), policyOf(object)).map(({ kind }: Injection) => kind);
  };

  it('are those that the annotation names, and that policies give to the Pod without them', () => {
    expect(Object.keys(probes)).toEqual(['livenessProbe', 'readinessProbe', 'startupProbe']);
    expect(kindsBefore(probes)).toEqual(Object.keys(probes));
  });

  it('are not those that the annotation does not name', () => {
    expect(kindsBefore(probes, {})).toEqual([]);
    const named = { annotations: { 'probewright.dev/injected': '{"app":{"readinessProbe":"x"}}' } };
    expect(kindsBefore({ readinessProbe: probes['readinessProbe'] }, named)).toEqual(['readinessProbe']);
  });

  it('are not those that differ from what policies give: then they are the author’s, and evidence about the others', () => {
    const other = { ...probes['readinessProbe'], periodSeconds: 7 };
    expect(kindsBefore({ ...probes, readinessProbe: other })).toEqual(['livenessProbe', 'startupProbe']);
    const elsewhere = { httpGet: { path: '/other', port: 8080 } };
    expect(kindsBefore({ ...probes, readinessProbe: elsewhere })).toEqual([]);
  });

  it('have defaults of the API server afterwards, and count all the same', () => {
    const stored = { ...probes['readinessProbe'], timeoutSeconds: 1, successThreshold: 1 };
    expect(kindsBefore({ ...probes, readinessProbe: stored })).toEqual(Object.keys(probes));
  });

  it('lose a delay of 0 in the API server, and count all the same', () => {
    const delayed = policySet(
      clusterPolicyDocument({
        containers: ['*'],
        probes: { readinessProbe: { httpGet: { path: '/readyz' }, initialDelaySeconds: 0 } },
      }),
    );
    const readinessProbe = { httpGet: { path: '/readyz', port: 'http' } };
    const object = pod([appContainer({ readinessProbe })], {
      metadata: { annotations: { 'probewright.dev/injected': '{"app":{"readinessProbe":"x"}}' } },
    });
    const read = readPod(object, POD_KIND);
    expect(injectedBefore(read, delayed.policyFor('apps', read.labels))).toHaveLength(1);
  });
});
