import { isPod } from '../engine/workload/kinds.ts';
import { isJsonObject, objectMember, type JsonObject } from '../base/json/json-value.ts';
import { NAMESPACE_NAME_LABEL, type WhyLeftOut } from '../engine/policy/policy-set.ts';
import { servicesOfPod } from '../engine/facts/services.ts';
import { CONSTRUCTS } from './constructs.ts';
import { nativeDecision, plainValue, type NativeDecision } from './evaluate.ts';
import { layersOf } from './namespace-layers.ts';
import { servicePortsOf } from './service-ports.ts';
import type { Container, Pod } from '../engine/workload/pod.ts';
import type { Snapshot } from '../engine/facts/snapshot.ts';

/** Whom a template's Pods belong to. Only that there is an owner counts. */
const OWNED = { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: '', controller: true }] };

/** A snapshot never changes, and a command asks about the same Pods again. */
const known = new WeakMap<Snapshot, Map<string, WhyLeftOut>>();

/**
 * What the native policy leaves out in a namespace, of what policies give: for `Snapshot.with`. The printed expressions
 * decide, so no rule of theirs is written twice.
 */
export function leftOutByNative(snapshot: Snapshot, namespace: string): WhyLeftOut {
  const ofSnapshot = known.get(snapshot) ?? new Map<string, WhyLeftOut>();
  known.set(snapshot, ofSnapshot);
  const found = ofSnapshot.get(namespace) ?? leftOutIn(snapshot, namespace);
  ofSnapshot.set(namespace, found);
  return found;
}

function leftOutIn(snapshot: Snapshot, namespace: string): WhyLeftOut {
  const layers = layersOf(snapshot, namespace);
  const ofNamespace = snapshot.facts.services?.ofNamespace(namespace) ?? [];
  const ports = servicePortsOf(snapshot, namespace);
  const labels = { ...Object.fromEntries(snapshot.facts.namespaceLabels.get(namespace) ?? []) };
  const namespaceLabels = { ...labels, [NAMESPACE_NAME_LABEL]: namespace };
  const decisions = new WeakMap<Pod, NativeDecision | 'failed'>();
  return (pod) => {
    const decision =
      decisions.get(pod) ?? decided(() => nativeDecision(createdPod(pod), layers, namespaceLabels, ports));
    decisions.set(pod, decision);
    const injected = new Set(decision === 'failed' ? [] : decision.patch.map(({ path }) => String(path)));
    return (container, probe) => {
      if (injected.has(`/spec/${container.list}/${container.index}/${probe}`)) return undefined;
      const found = decision === 'failed' ? [] : reasonsFor(container, decision);
      const isOfService = found.length === 0 && servicesOfPod(ofNamespace, pod.labels).selecting().length > 0;
      const constructs = isOfService ? ['services'] : found;
      const detail = ['the native policy leaves it out', constructs.map(constructText).join('; ')];
      return { code: 'not-native', detail: detail.filter((part) => part !== '').join(': '), constructs };
    };
  };
}

/** An expression that fails gives no probe: the native policy has `failurePolicy: Ignore`. */
function decided(decide: () => NativeDecision): NativeDecision | 'failed' {
  try {
    return decide();
  } catch {
    return 'failed';
  }
}

/** The Pod as the API server shows it to the native policy when a controller creates it. */
function createdPod({ kind, template, spec }: Pod): JsonObject {
  const { labels, annotations, ownerReferences } = objectMember(template, 'metadata') ?? {};
  const owners = isPod(kind) ? { ownerReferences } : OWNED;
  const metadata = { labels: asMap(labels), annotations: asMap(annotations), ...owners };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

const asMap = (value: unknown): JsonObject | undefined => (isJsonObject(value) ? value : undefined);

/** The ids of the constructs for which the native policy gives fewer probes to a container. */
export function reasonsFor(
  { list, index }: Pick<Container, 'list' | 'index'>,
  { variables }: NativeDecision,
): readonly string[] {
  const refusals = plainValue(variables.get('refusals')) as string[];
  if (refusals.length > 0) return refusals;
  const all = plainValue(variables.get('reasons')) as { list: string; index: number; why: string[] }[];
  return all.find((one) => one.list === list && one.index === index)?.why ?? [];
}

/** `own-command (an author's command as the startupProbe, ...)`: the words of the report of `export`. */
export function constructText(id: string): string {
  const text = CONSTRUCTS.find((one) => one.id === id)?.text ?? '';
  return `${id} (${text.split(': ')[0] ?? ''})`;
}
