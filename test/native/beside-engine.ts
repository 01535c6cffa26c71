import { servicePortsOf } from '../../src/native/service-ports.ts';
import { layersOf } from '../../src/native/namespace-layers.ts';
import { defaultedPodSpec, defaultedProbe } from '../../src/engine/probe/api-defaults.ts';
import { INJECTED_ANNOTATION } from '../../src/engine/policy/annotations.ts';
import { readProvenance } from '../../src/engine/defaulting/patch.ts';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { patchedObject } from '../../src/webhook/review/stored-pod.ts';
import { PROBE_KINDS } from '../../src/engine/probe/probe.ts';
import { equalJson, isJsonObject, listMember, objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { mutate } from '../support/decisions.ts';
import { nativeDecision, type NativeDecision } from '../../src/native/evaluate.ts';
import { reasonsFor } from '../../src/native/native-injection.ts';
import type { ContainerList } from '../../src/engine/probe/api-defaults.ts';
import { requestOf, reviewOf } from '../support/worlds.ts';
import { NOW } from '../support/now.ts';
import type { Labels } from '../../src/engine/policy/label-selector.ts';
import type { NativeLayer } from '../../src/native/namespace-layers.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';

/** What the native policy does to a Pod, beside what the webhook does. Places are as in a patch. */
export interface Comparison {
  readonly webhook: number;
  readonly equal: number;
  /** Probes that the native policy alone gives, or gives in another form, and a wrong annotation. */
  readonly moreOrOther: readonly string[];
  /** Each probe that the webhook alone gives, with the ids of the constructs that say why. */
  readonly fewer: readonly { readonly place: string; readonly reasons: readonly string[] }[];
}

/** A Pod as admission sees it: with the API server's defaults. */
export const admitted = (pod: JsonObject): JsonObject => ({
  ...pod,
  spec: defaultedPodSpec(pod['spec'] as JsonObject),
});

export function besideEngine(
  pod: JsonObject,
  snapshot: Snapshot,
  namespaceLabels: Readonly<Record<string, string>> = { 'kubernetes.io/metadata.name': 'apps' },
  layers: readonly NativeLayer[] = layersOf(snapshot, 'apps'),
): Comparison {
  const sent = webhookPatch(pod, snapshot);
  const native = nativeDecision(pod, layers, namespaceLabels, servicePortsOf(snapshot, 'apps'));
  const [expected, given] = [probesOf(sent), probesOf(native.patch)];
  const [wanted, written] = [sourcesIn(sent), sourcesIn(native.patch)];
  const moreOrOther = [...given].flatMap(([place, probe]) => {
    const other = expected.get(place);
    return other !== undefined && equalJson(other, probe)
      ? []
      : [`${place}: ${JSON.stringify(probe)} instead of ${JSON.stringify(other)}`];
  });
  const wrong = [...written]
    .filter(([place, source]) => wanted.get(place) !== source)
    .map(([place, source]) => `annotation ${place}: ${source} instead of ${wanted.get(place) ?? ''}`);
  // Only the webhook follows what a Service says for a port.
  const labels = objectMember(objectMember(pod, 'metadata') ?? {}, 'labels') ?? {};
  const { services } = snapshot.policyFor('apps', new Map(Object.entries(labels)) as Labels);
  const ofServices = services.selecting().length > 0 ? ['services'] : [];
  const missing = [...expected.keys()].filter((place) => !given.has(place));
  return {
    webhook: expected.size,
    equal: [...given].length - moreOrOther.length,
    moreOrOther: [...moreOrOther, ...wrong, ...(written.size < given.size ? ['the annotation lacks a probe'] : [])],
    fewer: missing.map((place) => ({ place, reasons: [...reasonsAt(place, native), ...ofServices] })),
  };
}

/** The patch that the webhook answers. */
export function webhookPatch(pod: JsonObject, snapshot: Snapshot): readonly JsonObject[] {
  const { reply } = mutate(requestOf(reviewOf(pod, { namespace: 'apps' })), snapshot, 'On', NOW);
  const { patch } = reply.response;
  return patch === undefined ? [] : (JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as JsonObject[]);
}

/** The probes of a patch by their place, after API defaults. */
export function probesOf(patch: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  const probes = patch.filter(({ path }) => /Probe$/.test(String(path)));
  return new Map(probes.map(({ path, value }) => [String(path), stored(value as JsonObject)]));
}

/** A probe as the API server stores it: an initial delay of 0 and an empty host are left out (omitempty). */
function stored(probe: JsonObject): JsonObject {
  const members = Object.entries(defaultedProbe(probe)).filter(([, value]) => value !== 0);
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).filter(([field, inner]) => field !== 'host' || inner !== ''))
        : value,
    ]),
  );
}

function sourcesIn(patch: readonly JsonObject[]): ReadonlyMap<string, string> {
  const text = patch.flatMap(({ value }) => {
    if (typeof value === 'string') return [value];
    return isJsonObject(value) && typeof value['annotations'] === 'object'
      ? []
      : isJsonObject(value) && typeof value[INJECTED_ANNOTATION] === 'string'
        ? [value[INJECTED_ANNOTATION]]
        : [];
  })[0];
  return new Map(
    [...readProvenance(text)].flatMap(([name, probes]) =>
      [...probes].map(([kind, source]) => [`${name} ${kind}`, source] as const),
    ),
  );
}

/** Why the native policy gives no probe at a place. */
function reasonsAt(place: string, decision: NativeDecision): readonly string[] {
  const [, , list, index] = place.split('/');
  return reasonsFor({ list: list as ContainerList, index: Number(index) }, decision);
}

/** The Pod spec after the webhook alone, and after the native policy and then the webhook, as the API server stores both. */
export function withBothTiers(pod: JsonObject, snapshot: Snapshot): readonly [alone: unknown, both: unknown] {
  const { patch } = nativeDecision(
    pod,
    layersOf(snapshot, 'apps'),
    { 'kubernetes.io/metadata.name': 'apps' },
    servicePortsOf(snapshot, 'apps'),
  );
  const after = admitted(
    jsonPatch.applyPatch(structuredClone(pod), structuredClone([...patch]) as unknown as Operation[]).newDocument,
  );
  return [mutated(pod, snapshot), mutated(after, snapshot)];
}

function mutated(pod: JsonObject, snapshot: Snapshot): unknown {
  const { reply } = mutate(requestOf(reviewOf(pod, { namespace: 'apps' })), snapshot, 'On', NOW);
  const spec = admitted(patchedObject(pod, reply.response))['spec'] as JsonObject;
  const probes = (list: string): unknown =>
    listMember(spec, list).map((one) =>
      PROBE_KINDS.map((kind) => {
        const probe = isJsonObject(one) ? objectMember(one, kind) : undefined;
        return probe && stored(probe);
      }),
    );
  return [probes('containers'), probes('initContainers')];
}
