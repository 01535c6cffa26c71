import { objectsAt, textAt, withEdits } from '../../base/json/field-path.ts';
import { equalJson, isJsonObject, listMember, objectMember, without } from '../../base/json/json-value.ts';
import { MISSED_PODS_RULE } from '../../engine/facts/live-rules.ts';
import { count } from '../../base/text/cut.ts';
import { debugCopyProblem } from '../../engine/defaulting/debug-copy.ts';
import { type Injection } from '../../engine/defaulting/injection.ts';
import { readProvenance } from '../../engine/defaulting/patch.ts';
import { INJECTED_ANNOTATION } from '../../engine/policy/annotations.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { readPod } from '../../engine/workload/read-pod.ts';
import { writtenProbe, type Container, type Pod, type WrittenProbe } from '../../engine/workload/pod.ts';
import { POD_KIND, isBeingDeleted, templatesToLookAt } from '../../engine/workload/kinds.ts';
import { isMeshProxyName } from '../../engine/workload/mesh.ts';
import { restartLine } from '../../explain/fleet-page/restart-line.ts';
import type { LiveProperties } from '../../explain/fleet-page/live-findings.ts';
import { metadataOf } from '../live-pod.ts';
import { workloadKey, type NamedObject } from '../observed-workload.ts';
import { isInScope, type WebhookScope } from './webhook-scope.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { WorkloadPolicy } from '../../engine/policy/policy-set.ts';
import { resultOfLive, type ReportResult } from '../reports/report-result.ts';

/**
 * Why a Pod lacks probes that a new Pod would get.
 *
 * - `missed`: the policy was there, but nothing injected: the webhook did not see the Pod, or the native policy, its
 *   bindings or its parameters were not as they are now.
 * - `predates`: the Pod is older than the policy, or than the policy's last change.
 * - `outdated`: the Pod got probes by older policies.
 * - `unknown`: it is not known when the policy last changed.
 */
export const MISSED_CAUSES = ['missed', 'predates', 'outdated', 'unknown'] as const;
export type MissedCause = (typeof MISSED_CAUSES)[number];

export interface MissedProbes {
  readonly cause: MissedCause;
  /** The layers that give the probes, each once: `ProbePolicy/apps/static`. */
  readonly sources: readonly string[];
}

/** What a Pod lacks of the probes that policies give. */
export interface LackingProbes {
  readonly missed: MissedProbes | undefined;
  /** The constructs for which the native policy leaves probes out. No Pod gets these, so nothing missed them. */
  readonly leftOut: readonly string[];
}

export const NOTHING_LACKS: LackingProbes = { missed: undefined, leftOut: [] };

export interface ReplaySurroundings {
  readonly snapshot: Snapshot;
  readonly scope: WebhookScope;
  /** When a layer last changed, in milliseconds since the epoch; undefined when that is not known. */
  readonly changedAt: (source: string) => number | undefined;
  /** When what injects last changed, in the same unit. Undefined when that is not known, -Infinity for never. */
  readonly since: number | undefined;
}

type Provenance = ReturnType<typeof readProvenance>;

/** The webhook reads policies by a watch, and times of objects are whole seconds: a Pod this young was not missed. */
export const MARGIN_MILLISECONDS = 2000;

/**
 * Runs the engine on a live Pod as if the Pod were created now. The probes that Probewright injected and the sidecars
 * of other injectors are taken off first: the webhook may have seen the Pod before the sidecars. Defaults of the API
 * server and the volume of the service account change no decision of the engine.
 *
 * @returns nothing when the Pod has what it would get, and for Pods that what injects never sees
 */
export function lackingProbes(pod: JsonObject, surroundings: ReplaySurroundings): LackingProbes {
  const { snapshot, scope } = surroundings;
  const namespace = metadataOf(pod, 'namespace');
  const phase = textAt(pod, 'status', 'phase');
  if (isBeingDeleted(pod) || phase === 'Succeeded' || phase === 'Failed') return NOTHING_LACKS;
  if (isFromNode(pod) || templatesToLookAt(pod, POD_KIND).kind === 'skipped') return NOTHING_LACKS;
  const live = readPod(pod, POD_KIND);
  if (debugCopyProblem(live) !== undefined) return NOTHING_LACKS;
  const { annotations } = live;
  const policy = snapshot.policyFor(namespace, live.labels);
  if (policy.layers.length === 0 && annotations.size === 0) return NOTHING_LACKS;
  if (!isInScope(scope, namespace, snapshot.facts.namespaceLabels.get(namespace), live.labels)) return NOTHING_LACKS;
  const injectedBefore = readProvenance(annotations.get(INJECTED_ANNOTATION));
  // Nobody can evaluate these conditions here. A Pod with our annotation has passed them.
  if (scope.foreignConditions.length > 0 && injectedBefore.size === 0) return NOTHING_LACKS;
  const bare = readPod(bareOf(live, injectedBefore), POD_KIND);
  const { injections, pod: given } = permittedDefaulting(bare, { ...policy, leftOut: undefined });
  const unlike = injections.length === 0 ? [] : notThere(live, given, injections, injectedBefore);
  if (unlike.length === 0) return NOTHING_LACKS;
  // The native policy takes milliseconds for a Pod, so only Pods that lack probes are asked about.
  const whyNot = policy.leftOut?.(bare);
  const problems = unlike.map(({ container, kind }) => whyNot?.(container, kind));
  const lacking = unlike.filter((_, index) => problems[index] === undefined);
  const leftOut = [...new Set(problems.flatMap((problem) => problem?.constructs ?? []))].toSorted();
  return {
    missed: lacking.length === 0 ? undefined : missedOf(pod, lacking, injectedBefore, policy, surroundings),
    leftOut,
  };
}

function missedOf(
  pod: JsonObject,
  lacking: readonly Injection[],
  injectedBefore: Provenance,
  { layers: inForce }: WorkloadPolicy,
  { changedAt, since = Infinity }: ReplaySurroundings,
): MissedProbes | undefined {
  const sources = [...new Set(lacking.map(({ source }) => source))].toSorted();
  const created = Date.parse(textAt(pod, 'metadata', 'creationTimestamp') ?? '');
  // The Pod was created after what injects had learned of the layer's last change.
  const isYounger = (source: string): boolean =>
    created > Math.max(changedAt(source) ?? Infinity, since) + MARGIN_MILLISECONDS;
  if (injectedBefore.size > 0) {
    const isOfToday = areNamed(sources, injectedBefore) && inForce.every(({ source }) => isYounger(source));
    // Another webhook has changed the Pod after that. A new Pod would be changed in the same way.
    return isOfToday ? undefined : { cause: 'outdated', sources };
  }
  // The Pod's own annotation is as old as the Pod, and a probe for safety follows from another one.
  const layers = sources.filter((source) => source !== 'annotation' && source !== 'safety');
  const isAlone = layers.length === 0 && !(created <= since + MARGIN_MILLISECONDS);
  if (isAlone || layers.some(isYounger)) return { cause: 'missed', sources };
  const isKnown = !Number.isNaN(created) && since < Infinity && layers.every((layer) => changedAt(layer) !== undefined);
  return { cause: isKnown ? 'predates' : 'unknown', sources };
}

/** True if the annotation of the Pod names each of the layers. A learned budget has its figures before the layer. */
function areNamed(sources: readonly string[], injectedBefore: Provenance): boolean {
  const named = [...injectedBefore.values()].flatMap((kinds) => [...kinds.values()]);
  return sources.every((source) => named.some((text) => text === source || text.endsWith(`; ${source}`)));
}

/** True for the API server's copy of a static Pod, which the Node owns. The kubelet runs the file, and not the copy. */
function isFromNode(pod: JsonObject): boolean {
  return objectsAt(pod, 'metadata', 'ownerReferences').some(({ kind }) => kind === 'Node');
}

/** Containers that other webhooks add, by the annotations that those leave in the Pod. */
const FOREIGN_SIDECARS: Readonly<Record<string, string>> = {
  'vault.hashicorp.com/agent-inject-status': 'vault-agent',
  'dapr.io/enabled': 'daprd',
  'sidecar.opentelemetry.io/injected': 'otc-container',
  'appmesh.k8s.aws/sidecarInjectorWebhook': 'envoy',
};

/**
 * The Pod without the probes that its annotation names, and without foreign sidecars: such a container may declare a
 * port, and hide from the engine which container is the main one. The webhook is called before the injectors of meshes.
 */
function bareOf({ template, annotations }: Pod, named: Provenance): JsonObject {
  const sidecars = Object.entries(FOREIGN_SIDECARS).flatMap(([key, name]) => (annotations.has(key) ? [name] : []));
  const spec = objectMember(template, 'spec') ?? {};
  const bareContainer = (container: unknown): readonly unknown[] => {
    const name = textAt(container, 'name') ?? '';
    if (sidecars.includes(name) || isMeshProxyName(name)) return [];
    return [isJsonObject(container) ? without(container, ...(named.get(name)?.keys() ?? [])) : container];
  };
  const lists = ['containers', 'initContainers'].map((list) => [list, listMember(spec, list).flatMap(bareContainer)]);
  const bare: JsonObject = { ...template, spec: { ...spec, ...Object.fromEntries(lists) } };
  return withEdits(bare, [{ path: ['metadata', 'annotations', INJECTED_ANNOTATION], value: null }]);
}

/** The injections that the Pod does not have, or has otherwise. Both sides with the API server's defaults. */
function notThere(pod: Pod, given: Pod, injections: readonly Injection[], injectedBefore: Provenance): Injection[] {
  const [is, wouldBe] = [byPlace(pod), byPlace(given)];
  return injections.filter(({ container: { list, name }, kind }) => {
    const place = `${list} ${name}`;
    const [own, expected] = [is, wouldBe].map((of) => writtenProbe(of.get(place) ?? { written: [] }, kind));
    // Istio has redirected the injected probe to its agent.
    if (own?.isOfMesh === true) return false;
    // A learned budget follows from starts, and a later start is no change of a policy.
    const isLearned = injectedBefore.get(name)?.get(kind)?.startsWith(LEARNED) === true;
    return !equalJson(compared(own, isLearned), compared(expected, isLearned));
  });
}

const LEARNED = 'learned: ';

/** The probe to compare, a learned one without its budget. */
function compared(probe: WrittenProbe | undefined, isLearned: boolean): JsonObject | undefined {
  return isLearned && probe ? { ...probe.whole, failureThreshold: undefined, periodSeconds: undefined } : probe?.whole;
}

function byPlace({ containers }: Pod): ReadonlyMap<string, Container> {
  return new Map(containers.map((container) => [`${container.list} ${container.name}`, container]));
}

export const MISSED_MESSAGES: Readonly<Record<MissedCause, string>> = {
  missed: 'Pods lack probes that new Pods get: nothing injected them when the Pods were created',
  predates: 'Pods lack probes that new Pods get: they are older than the policy',
  outdated: 'Pods have other probes than new Pods get: the policy has changed since they were created',
  unknown: 'Pods lack probes that new Pods get: it is not known when the policy last changed',
};

/** A Pod that lacks probes. */
export interface MissedPod {
  readonly workload: NamedObject;
  readonly missed: MissedProbes;
}

/**
 * The results of all workloads: one for each cause, with the number of Pods in a property.
 *
 * @param total the number of all Pods of the one workload, where it is known
 */
export function missedResults(
  all: Iterable<MissedPod>,
  total?: number,
): (readonly [NamedObject, readonly ReportResult[]])[] {
  return [...Map.groupBy(all, ({ workload }) => workloadKey(workload)).values()].flatMap((pods) => {
    const workload = pods[0]?.workload;
    if (workload === undefined) return [];
    const results = MISSED_CAUSES.flatMap((cause) => {
      const ofCause = pods.filter(({ missed }) => missed.cause === cause);
      return ofCause.length === 0 ? [] : [resultOf(workload, cause, ofCause, total)];
    });
    return [[workload, results] as const];
  });
}

function resultOf(
  workload: NamedObject,
  cause: MissedCause,
  pods: readonly MissedPod[],
  total: number | undefined,
): ReportResult {
  const sources = [...new Set(pods.flatMap(({ missed }) => missed.sources))].toSorted();
  const policies = sources.filter((source) => source !== 'annotation' && source !== 'safety');
  const properties = {
    cause,
    pods: String(pods.length),
    ...(total !== undefined && { allPods: String(total) }),
    sources: sources.slice(0, MOST_SOURCES).join(', '),
    fix: restartLine(workload),
  } satisfies LiveProperties;
  const kind = { rule: MISSED_PODS_RULE, category: 'Missed Pods', severity: 'low' } as const;
  return resultOfLive(kind, policies[0], MISSED_MESSAGES[cause], properties);
}

const MOST_SOURCES = 20;

/**
 * One line about the Pods of a workload: `6 of 6 Pods lack these probes: kubectl rollout restart deployment/web -n x`.
 *
 * @param stepOf what to do, by the step that replaces the Pods
 */
export function lackLine(
  missed: readonly MissedPod[],
  total: number,
  stepOf: (restart: string) => string,
): string | undefined {
  const [first] = missed;
  if (first === undefined) return undefined;
  const isOne = missed.length === 1;
  const areOlder = missed.every(({ missed: { cause } }) => cause === 'outdated');
  const what = areOlder
    ? `${isOne ? 'has' : 'have'} other probes than these`
    : `${isOne ? 'lacks' : 'lack'} these probes`;
  const step = stepOf(restartLine(first.workload));
  return `${missed.length} of ${count(total, 'Pod')} ${what}${/^[A-Z]/.test(step) ? '.' : ':'} ${step}`;
}
