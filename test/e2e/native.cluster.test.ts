import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { equalJson, isJsonObject, listMember, objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { PROBE_KINDS } from '../../src/engine/probe/probe.ts';
import { layersOf } from '../../src/native/namespace-layers.ts';
import { PARAM_DEFINITION } from '../../src/native/namespace-probes.ts';
import { nativeObjects, NATIVE_POLICY } from '../../src/native/objects.ts';
import { floorsOf, validatingObjects } from '../../src/native/validating-policy.ts';
import { servicePortsOf } from '../../src/native/service-ports.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { admitted, probesOf, webhookPatch } from '../native/beside-engine.ts';
import { nativePod, nativePolicies, nativeServices } from '../native/native-worlds.ts';
import { describeUnless, endedAfterAll } from '../support/started.ts';
import { nativeDecision } from '../../src/native/evaluate.ts';
import { appContainer, clusterPolicyDocument, pod, policyDocument, policySet } from '../support/worlds.ts';
import { controlPlaneProblem, startControlPlane, type ControlPlane } from './control-plane.ts';
import { whyNoNativePolicy } from './native-api.ts';
import { waitUntil } from './processes.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';

const SETS = 25;
const PODS_OF_A_SET = 40;
const HOME = 'probewright';
const PODS = '/api/v1/namespaces/apps/pods';
const PARAMS = '/apis/probewright.dev/v1alpha1/namespaces/apps/namespaceprobes';
/** A changed parameter acts after 60 ms, a new one after 210 ms (measured on 1.36.2). */
const UNTIL_PARAMETERS_ACT = 1_500;

const PLAIN_POLICY = policySet(
  policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/ready' } }),
);
const PLAIN_POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'plain', namespace: 'apps', labels: { app: 'plain' } },
  spec: { containers: [{ name: 'app', image: 'app', ports: [{ name: 'http', containerPort: 8080 }] }] },
};

const sets: readonly Snapshot[] = fc
  .sample(fc.tuple(nativePolicies, nativeServices), { seed: 53, numRuns: SETS })
  .map(([documents, services]) => policySet(...documents).withFacts(factsOf(services)));

describeUnless(controlPlaneProblem(), 'the native policy in an API server', () => {
  const keep = endedAfterAll();
  let cluster: ControlPlane;
  let whyNot: string | undefined;

  beforeAll(async () => {
    cluster = await keep(startControlPlane());
    for (const name of ['apps', HOME]) await cluster.create('/api/v1/namespaces', { metadata: { name } });
    await cluster.create('/api/v1/namespaces/apps/serviceaccounts', { metadata: { name: 'default' } });
    await cluster.apply(PARAM_DEFINITION);
    await waitUntil('the kind is served', async () => (await cluster.request('GET', PARAMS)).status === 200);
    whyNot = await whyNoNativePolicy(cluster);
  });

  /** Puts the parameters of `apps` in place, and what else the objects are. */
  async function exported(snapshot: Snapshot, kinds: readonly string[]): Promise<JsonObject | undefined> {
    const objects = nativeObjects(snapshot, HOME).filter(({ kind }) => kinds.includes(kind as string));
    await cluster.apply(...objects);
    const own = objects.find(({ metadata }) => (metadata as JsonObject)['namespace'] === 'apps');
    if (own === undefined) await cluster.delete(`${PARAMS}/effective`);
    return own;
  }

  it('stores the parameters of any policies as they are printed', async () => {
    let stored = 0;
    for (const snapshot of sets) {
      const own = await exported(snapshot, ['NamespaceProbes']);
      if (own === undefined) continue;
      const { spec } = await cluster.read<JsonObject>(`${PARAMS}/effective`);
      expect(spec).toEqual(own['spec']);
      stored += 1;
    }
    expect(stored).toBeGreaterThan(SETS / 4);
  });

  it('compiles, and gives a Pod the probes of the library beside the engine, none more than the webhook', async (context) => {
    if (whyNot !== undefined) console.log(`skipped: ${whyNot}`);
    context.skip(whyNot !== undefined, whyNot);
    // A server that cannot compile an expression refuses the policy here, with its place.
    await cluster.apply(NATIVE_POLICY);
    // The server looks for new policies once a second, compiles them, and then reads the parameters.
    await exported(PLAIN_POLICY, ['NamespaceProbes', 'MutatingAdmissionPolicyBinding']);
    await waitUntil('the policy acts', async () => {
      const { body } = await cluster.request('POST', `${PODS}?dryRun=All`, PLAIN_POD);
      return probesOf(addedProbes(PLAIN_POD, JSON.parse(body) as JsonObject)).size > 0;
    });
    const differences: string[] = [];
    let [accepted, given] = [0, 0];
    for (const [index, snapshot] of sets.entries()) {
      await exported(snapshot, ['NamespaceProbes', 'MutatingAdmissionPolicyBinding']);
      await sleep(UNTIL_PARAMETERS_ACT);
      for (const written of fc.sample(nativePod, { seed: index, numRuns: PODS_OF_A_SET })) {
        const pod = admitted(asCreated(written));
        const { status, body } = await cluster.request('POST', `${PODS}?dryRun=All`, pod);
        // The API server knows more rules of Pods than the worlds.
        if (status !== 201) continue;
        accepted += 1;
        const found = probesOf(addedProbes(pod, JSON.parse(body) as JsonObject));
        const labels = { 'kubernetes.io/metadata.name': 'apps' };
        const native = nativeDecision(pod, layersOf(snapshot, 'apps'), labels, servicePortsOf(snapshot, 'apps'));
        const [expected, ofWebhook] = [probesOf(native.patch), probesOf(webhookPatch(pod, snapshot))];
        given += found.size;
        for (const place of new Set([...found.keys(), ...expected.keys()])) {
          const sides = [found, expected, ofWebhook].map((side) => side.get(place));
          const isSame = sides.every((side) => side !== undefined && equalJson(side, sides[0]));
          if (!isSame) differences.push(`set ${index}: ${place}: ${JSON.stringify(sides)} of ${JSON.stringify(pod)}`);
        }
      }
    }
    console.log(`native policy on ${cluster.version}: ${accepted} Pods as dry runs, ${given} probes injected`);
    expect(differences.slice(0, 5)).toEqual([]);
    expect(accepted).toBeGreaterThan((SETS * PODS_OF_A_SET) / 2);
    expect(given).toBeGreaterThan(SETS);
  }, 600_000);

  it.each([10, 50])('gives 300 containers their probes from %i layers, within the limits of cost', async (layers) => {
    if (whyNot !== undefined) console.log(`skipped: ${whyNot}`);
    if (whyNot !== undefined) return;
    const spec = NATIVE_POLICY['spec'] as JsonObject;
    // An error would else leave the Pod as it is.
    await cluster.apply({ ...NATIVE_POLICY, spec: { ...spec, failurePolicy: 'Fail' } });
    const documents = Array.from({ length: layers }, (_, index) =>
      policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/live' } }, `p${index}`),
    );
    await exported(policySet(...documents), ['NamespaceProbes', 'MutatingAdmissionPolicyBinding']);
    const many = pod(Array.from({ length: 300 }, (_, index) => appContainer({ name: `app-${index}` })));
    const before = admitted(asCreated(many));
    await waitUntil('the policy acts', async () => {
      const { status, body } = await cluster.request('POST', `${PODS}?dryRun=All`, before);
      expect(status, body).toBe(201);
      return addedProbes(before, JSON.parse(body) as JsonObject).length === 600;
    });
  });

  it('denies by the floors of the validating policy, and tells why', async (context) => {
    if (whyNot !== undefined) console.log(`skipped: ${whyNot}`);
    context.skip(whyNot !== undefined, whyNot);
    const floors = floorsOf(policySet(clusterPolicyDocument({ checks: { 'single-failure': { floor: 'Deny' } } })));
    await cluster.apply(...validatingObjects(floors, HOME));
    const failing = { ...appContainer(), livenessProbe: { tcpSocket: { port: 80 }, failureThreshold: 1 } };
    const answer = () => cluster.request('POST', `${PODS}?dryRun=All`, asCreated(pod([failing])));
    await waitUntil('the floor is enforced', async () => (await answer()).status === 403);
    expect((await answer()).body).toContain('is restarted after 1 failed livenessProbe (single-failure)');
  });
});

/** A Pod as a controller creates it. */
function asCreated(written: JsonObject): JsonObject {
  const random = objectMember(written, 'metadata') ?? {};
  const owners = listMember(random, 'ownerReferences').filter(isJsonObject);
  const ownerReferences = owners.map((owner) => ({ apiVersion: 'apps/v1', uid: 'of-the-owner', ...owner }));
  const metadata = { ...random, name: 'trial', namespace: 'apps', ownerReferences };
  return JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...written, metadata })) as JsonObject;
}

/** The probes that a Pod has got, as operations of a patch. */
function addedProbes(before: JsonObject, after: JsonObject): JsonObject[] {
  const listOf = (pod: JsonObject, list: string): readonly unknown[] => listMember(pod['spec'] as JsonObject, list);
  return ['containers', 'initContainers'].flatMap((list) =>
    listOf(after, list).flatMap((container, index) => {
      const own = listOf(before, list)[index];
      if (!isJsonObject(container) || !isJsonObject(own)) return [];
      const added = PROBE_KINDS.filter((kind) => isJsonObject(container[kind]) && !isJsonObject(own[kind]));
      return added.map((kind) => ({ path: `/spec/${list}/${index}/${kind}`, value: container[kind] }));
    }),
  );
}
