import { expect, it } from 'vitest';
import { isShapedByNamespace } from '../../../src/engine/defaulting/field-origin.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument, policySet } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const CLUSTER = clusterPolicyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/live', startupProbe: '/start' } });
const ports = [{ name: 'http', containerPort: 8080, protocol: 'TCP' }];

/** For each probe that these policies inject, whether a policy of the namespace shapes the probe. */
function shaped(...specs: readonly JsonObject[]): unknown {
  const own = specs.map((spec, index) => policyDocument(spec, `p${index}`, 'apps'));
  const policy = policySet(CLUSTER, ...own).policyFor('apps', new Map());
  const read = readPod(pod([appContainer({ ports })]), POD_KIND);
  const { injections } = permittedDefaulting(read, policy, { mayBeCopy: false });
  return Object.fromEntries(injections.map((injection) => [injection.kind, isShapedByNamespace(injection)]));
}

it.each<[string, JsonObject[], object]>([
  ['policies of the cluster alone shape none', [], { livenessProbe: false, startupProbe: false }],
  ['checks of the namespace shape none', [{ checks: {} }], { livenessProbe: false, startupProbe: false }],
  ['a port shapes all', [{ port: 8080 }], { livenessProbe: true, startupProbe: true }],
  [
    'a startup probe shapes itself',
    [{ probes: { startupProbe: { periodSeconds: 2 } } }],
    { livenessProbe: false, startupProbe: true },
  ],
  [
    'a liveness probe shapes the startup probe that guards it, too',
    [{ probes: { livenessProbe: { periodSeconds: 20 } } }],
    { livenessProbe: true, startupProbe: true },
  ],
  [
    'a slow start shapes the startup probe',
    [{ slowStart: { startupSeconds: 120 } }],
    { livenessProbe: false, startupProbe: true },
  ],
  [
    'one of two policies is enough',
    [{ checks: {} }, { slowStart: { startupSeconds: 120 } }],
    { livenessProbe: false, startupProbe: true },
  ],
])('%s', (_, specs, expected) => expect(shaped(...specs)).toEqual(expected));
