import { formatPath } from '../../../src/base/json/field-path.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../support/decisions.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { anyPod, validPod } from '../../support/arbitraries.ts';
import { clusterDocument, namespaceDocument } from '../../robustness/random-worlds.ts';
import {
  VALIDATE_SETTINGS,
  deploymentOf,
  mutation,
  policyDocument,
  policyForPod,
  policySet,
  requestOf,
  reviewOf,
  subjectOf,
  effectiveTemplate,
} from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import { runs } from '../../support/runs.ts';
import { hasProbe } from '../../../src/engine/workload/pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

/** The path of random probes: another one would keep all paths of the policy away. */
const OWN = { livenessProbe: '/own', readinessProbe: '/own', startupProbe: '/own' };
const IDS = Object.keys(CHECK_CATALOGUE);

/** A ClusterProbePolicy for every container of every namespace, in which each check that it mentions has the floor Deny. */
const flooring = fc.tuple(clusterDocument, fc.subarray(IDS, { minLength: 1, maxLength: 4 })).map(([document, ids]) => {
  const spec = { ...(document['spec'] as JsonObject) };
  delete spec['namespaceSelector'];
  delete spec['workloadSelector'];
  delete spec['containers'];
  const checks = spec['checks'] as Record<string, JsonObject> | undefined;
  const entries = [...ids, ...Object.keys(checks ?? {})].map((id) => [id, { ...checks?.[id], floor: 'Deny' }]);
  return { ...document, spec: { ...spec, checks: Object.fromEntries(entries) as JsonObject } };
});
const clusterDocuments = fc.uniqueArray(flooring, { minLength: 1, maxLength: 3, selector: nameOf });
/** A policy below the others that gives most Pods something. */
const giving = policyDocument({ containers: ['*'], kubernetesProbeEndpoints: OWN }, '0');
const namespaceDocuments = fc
  .uniqueArray(
    namespaceDocument.map((document) => ({
      ...document,
      metadata: { ...(document['metadata'] as JsonObject), namespace: 'apps' },
    })),
    { minLength: 1, maxLength: 4, selector: nameOf },
  )
  .map((documents) => [giving, ...documents]);

function nameOf(document: object): unknown {
  return (document as { metadata: { name: string } }).metadata.name;
}

/** What the checks with the floor Deny find in an object as it stands. */
function floored(object: JsonObject, policies: Snapshot): Violation[] {
  return judgeObject(subjectOf(object), policies, false, NOW).violations.filter(({ action }) => action === 'Deny');
}

const key = ({ check, path }: Violation): string => `${check} ${formatPath(path)}`;
const isAllowed = (object: JsonObject, policies: Snapshot, mutation: 'On' | 'Off'): boolean =>
  (
    validate(requestOf(reviewOf(object)), policies, { ...VALIDATE_SETTINGS, mutation }, NOW).reply.response as {
      allowed: boolean;
    }
  ).allowed;

/** Few workloads are accepted, and few probes forbidden. */
const MANY = runs(1500, 600);

/** A Pod as a controller makes it. Without an owner, a Pod without labels gets no probes. */
function withOwner(pod: JsonObject): JsonObject {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'random', controller: true }];
  return { ...pod, metadata: { ...(pod['metadata'] as JsonObject), ownerReferences } };
}

describe('a floor of a cluster policy', () => {
  it('finds in a workload what it found before, whatever policies the namespace has', () => {
    let denied = 0;
    fc.assert(
      fc.property(clusterDocuments, namespaceDocuments, anyPod, (cluster, namespaced, pod) => {
        const object = deploymentOf(pod);
        const floors = policySet(...cluster);
        const all = policySet(...cluster, ...namespaced);
        const after = new Set(floored(object, all).map(key));
        const lost = flooredByFloors(object, floors).filter((violation) => !after.has(key(violation)));
        expect(lost).toEqual([]);
        if (flooredByFloors(object, floors).length === 0) return;
        denied += 1;
        expect(isAllowed(object, all, 'Off')).toBe(false);
      }),
      { numRuns: runs(600) },
    );
    expect(denied).toBeGreaterThan(runs(600) / 20);
  });

  it('holds for what the Pods will be: an accepted workload, with its probes injected, violates no floor', () => {
    let accepted = 0;
    fc.assert(
      fc.property(clusterDocuments, namespaceDocuments, validPod, (cluster, namespaced, pod) => {
        const object = deploymentOf(pod);
        const all = policySet(...cluster, ...namespaced);
        if (!isAllowed(object, all, 'On')) return;
        accepted += 1;
        const { after } = mutation(withOwner(pod), all);
        expect(flooredByFloors(deploymentOf(after), policySet(...cluster))).toEqual([]);
      }),
      { numRuns: MANY },
    );
    expect(accepted).toBeGreaterThan(MANY / 75);
  });

  it('is violated by no injected probe', () => {
    let [injected, forbidden] = [0, 0];
    fc.assert(
      fc.property(clusterDocuments, namespaceDocuments, anyPod, (cluster, namespaced, pod) => {
        const all = policySet(...cluster, ...namespaced);
        const policy = policyForPod(pod, all);
        const { injections, notInjected } = permittedDefaulting(readPod(pod, POD_KIND), policy, { mayBeCopy: false });
        forbidden += notInjected.filter(({ code }) => code === 'forbidden-by-floor').length;
        injected += injections.length;
        const before = new Set(flooredByFloors(pod, all).map(key));
        const after = flooredByFloors(effectiveTemplate(pod, injections), all);
        expect(after.filter((violation) => !before.has(key(violation)))).toEqual([]);
      }),
      { numRuns: MANY },
    );
    expect([injected > MANY / 10, forbidden > MANY / 25]).toEqual([true, true]);
  });

  it('leaves no injected liveness probe without the startup probe that it would have had', () =>
    fc.assert(
      fc.property(clusterDocuments, namespaceDocuments, anyPod, (cluster, namespaced, pod) => {
        const policy = policyForPod(pod, policySet(...cluster, ...namespaced));
        const { injections, notInjected } = permittedDefaulting(readPod(pod, POD_KIND), policy, { mayBeCopy: false });
        for (const { container, probe, code } of notInjected) {
          if (code !== 'forbidden-by-floor' || probe !== 'startupProbe') continue;
          const liveness = injections.find((one) => one.container.name === container && one.kind === 'livenessProbe');
          expect(liveness === undefined || hasProbe(liveness.container, 'startupProbe')).toBe(true);
        }
      }),
      { numRuns: runs(600) },
    ));
});

/** Of all that is denied, what checks with the floor Deny find. */
function flooredByFloors(object: JsonObject, policies: Snapshot): Violation[] {
  const floors = new Set(
    policies.policies.flatMap(({ checks }) =>
      [...checks].filter(([, { floor }]) => floor === 'Deny').map(([id]) => id),
    ),
  );
  return floored(object, policies).filter(({ check }) => floors.has(check));
}
