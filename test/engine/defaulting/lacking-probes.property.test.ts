import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutInjections } from '../../../src/engine/defaulting/default-probes.ts';
import { lacksProbe } from '../../../src/engine/defaulting/lacking-probes.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { PROBE_KINDS } from '../../../src/engine/probe/probe.ts';
import { isSidecar } from '../../../src/engine/probe/sidecar.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { anyPod } from '../../support/arbitraries.ts';
import { clusterDocument, namespaceDocument } from '../../robustness/random-worlds.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const giving = policyDocument({ containers: ['*'], port: 80, kubernetesProbeEndpoints: { livenessProbe: '/live' } });
const worlds = fc
  .tuple(fc.array(clusterDocument, { maxLength: 2 }), fc.array(namespaceDocument, { maxLength: 2 }))
  .map(([cluster, own]) => policySet(giving, ...cluster, ...own));

type Containers = readonly JsonObject[];

/** The Pod with some probe of each kind in each container that may have probes. */
function completed(pod: JsonObject): JsonObject {
  const spec = pod['spec'] as JsonObject;
  const complete = (container: JsonObject): JsonObject => ({
    ...container,
    ...Object.fromEntries(PROBE_KINDS.map((kind) => [kind, container[kind] ?? { tcpSocket: { port: 80 } }])),
  });
  const init = (spec['initContainers'] ?? []) as Containers;
  return {
    ...pod,
    spec: {
      ...spec,
      containers: (spec['containers'] as Containers).map(complete),
      initContainers: init.map((container) => (isSidecar(container) ? complete(container) : container)),
    },
  };
}

describe('a Pod', () => {
  it('with all its probes gets none, and the same warnings, whatever policies say', () => {
    fc.assert(
      fc.property(anyPod, worlds, (pod, policies) => {
        const whole = completed(pod);
        expect(lacksProbe(whole)).toBe(false);
        const policy = policies.policyFor('apps', new Map(), undefined);
        const { injections, warnings } = permittedDefaulting(whole, policy, POD_KIND);
        expect({ ...withoutInjections(whole, policy) }).toEqual({ injections, notInjected: [], warnings });
        expect(injections).toEqual([]);
      }),
    );
  });

  it('that gets a probe lacks one, and has the same warnings without it', () => {
    fc.assert(
      fc.property(anyPod, worlds, (pod, policies) => {
        const policy = policies.policyFor('apps', new Map(), undefined);
        const { injections, warnings } = permittedDefaulting(pod, policy, POD_KIND);
        expect(lacksProbe(pod) || injections.length === 0).toBe(true);
        expect(withoutInjections(pod, policy).warnings).toEqual(warnings);
      }),
    );
  });
});
