import {
  OPT_OUT_LABEL,
  OPT_OUT_VALUE,
  SKIP_ANNOTATION,
  hasOptedOut,
  CONTAINERS_ANNOTATION,
  readAnnotations,
  type WorkloadAnnotations,
} from '../policy/annotations.ts';
import { PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { expectedStartSeconds } from '../time/bounds.ts';
import { longestStartSeconds, probeTiming } from '../time/timing.ts';
import { meshObstacle } from '../workload/mesh.ts';
import { isPod } from '../workload/kinds.ts';
import { DEFAULT_CONTAINER_ANNOTATION, mainContainerOf } from '../workload/main-container.ts';
import { hasProbe, writtenProbe } from '../workload/pod.ts';
import type { Container, MainContainer, Pod } from '../workload/pod.ts';
import { startupDefault, withoutLearnedBudget, type EffectiveLiveness, type StartupResult } from './startup.ts';
import {
  applyingTo,
  layersWithProbes,
  mergeLayers,
  oncePerLayers,
  type ContainerPolicy,
} from '../policy/container-policy.ts';
import { debugCopyProblem } from './debug-copy.ts';
import { injectionAt, type GivenProbe, type Injection } from './injection.ts';
import type { HandlerProblem, NotInjected } from './not-injected.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import { ownPathDiffers, plainDefault } from './own-probes.ts';
import { isOwnProbe, portSpeaker, type Evidence } from './handler.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';

export interface Defaulting {
  readonly injections: readonly Injection[];
  readonly notInjected: readonly NotInjected[];
  readonly warnings: readonly string[];
}

export interface DefaultingOptions {
  /** Probes of the Pod that are not the author's. */
  readonly injectedEarlier?: readonly Injection[];
  /** False for a Pod without the probes that an earlier call added: it is like a copy of kubectl debug. */
  readonly mayBeCopy?: boolean;
}

/**
 * The probes that policies give to containers that lack them, without regard to floors (see permittedDefaulting).
 *
 * @param pod the Pod as a controller creates it
 * @param forbidden why a probe must not be injected, whatever policies say; undefined when it may be
 */
export function defaultProbes(
  pod: Pod,
  policy: WorkloadPolicy,
  { injectedEarlier = [], mayBeCopy = true }: DefaultingOptions = {},
  forbidden: (container: Container, kind: ProbeKind) => HandlerProblem | undefined = () => undefined,
): Defaulting {
  const own = templatePolicy(pod, policy);
  const { skip, warnings } = own.annotations;
  // A policy that only sets checks asks for no probe, so it reports no missing ones either.
  if (own.layers.length === 0) return { injections: [], notInjected: [], warnings };
  const reason = reasonOfPod(pod, mayBeCopy);
  if (reason !== undefined) return { injections: [], notInjected: [reason], warnings };
  const result = { injections: [], notInjected: unmatched(own), warnings };
  const obstacle = meshObstacle(pod);
  for (const container of own.containers) {
    const merged = own.policyFor(container);
    if (merged === undefined) continue;
    const isInjected = (kind: ProbeKind): boolean => injectionAt(injectedEarlier, container, kind) !== undefined;
    const refusal = (kind: ProbeKind): HandlerProblem | undefined =>
      skip.has(kind) ? SKIPPED : forbidden(container, kind);
    defaultContainer(container, merged, policy, isInjected, refusal, result, obstacle);
  }
  return result;
}

function reasonOfPod(pod: Pod, mayBeCopy: boolean): NotInjected | undefined {
  if (hasOptedOut(pod)) {
    const detail = `the label ${OPT_OUT_LABEL}: ${OPT_OUT_VALUE} keeps the Pod from the mutating webhook`;
    return { code: 'opted-out', detail };
  }
  if (!pod.runsForever)
    return { code: 'run-to-completion', detail: 'its containers run to completion (restartPolicy is not Always)' };
  return mayBeCopy && isPod(pod.kind) ? debugCopyProblem(pod) : undefined;
}

/**
 * @param isInjected true for a probe that an earlier call for the Pod injected
 * @param refusal why a probe must not be injected, whatever the policy says
 * @param obstacle why the kubelet reaches the container by exec only
 */
function defaultContainer(
  container: Container,
  policy: ContainerPolicy,
  { starts: startsOf, services }: WorkloadPolicy,
  isInjected: (kind: ProbeKind) => boolean,
  refusal: (kind: ProbeKind) => HandlerProblem | undefined,
  { injections, notInjected }: { readonly injections: Injection[]; readonly notInjected: NotInjected[] },
  obstacle: string | undefined,
): void {
  const missing = PROBE_KINDS.filter((kind) => !hasProbe(container, kind));
  const unfit = unfitFor(container);
  if (missing.length > 0 && unfit !== undefined) notInjected.push({ container: container.name, ...unfit });
  if (unfit !== undefined) return;
  const starts = policy.learned && startsOf?.(container.name, container.image);
  // The author's probes that no mesh has redirected. The API server refuses a probe that is no object.
  const own = container.written.filter(isOwnProbe).filter(({ kind, isOfMesh }) => !isOfMesh && !isInjected(kind));
  const contradiction = ownPathDiffers(own, policy);
  const evidence = { container, services, speaksAt: portSpeaker(container, services), own, contradiction };
  const startupBeside = (liveness: EffectiveLiveness | undefined): StartupResult =>
    refusal('startupProbe') ?? startupDefault(evidence, policy, liveness, starts);
  const written = writtenProbe(container, 'livenessProbe');
  let liveness: EffectiveLiveness | undefined = written && {
    ...{ probe: written.written, numbers: written.numbers },
    own: isInjected('livenessProbe') ? undefined : written,
  };
  let isLivenessBarred = false;
  // PROBE_KINDS has liveness before startup: the startup probe depends on the liveness probe that the container gets.
  for (const kind of missing) {
    const isStartup = kind === 'startupProbe';
    const asked = isStartup ? startupBeside(liveness) : (refusal(kind) ?? plainDefault(evidence, policy, kind));
    const isOpen = kind === 'livenessProbe' && missing.includes('startupProbe');
    const found = isOpen ? guarded(asked, own, startupBeside) : asked;
    const result = pastMesh(found, obstacle, isStartup && isLivenessBarred);
    isLivenessBarred ||= kind === 'livenessProbe' && result.code === 'mesh-came-first';
    const unlearned = isStartup && !refusal(kind) ? withoutLearnedBudget(policy, starts) : undefined;
    const report = ({ code, detail }: HandlerProblem, wantedBy?: string): void => {
      notInjected.push({
        container: container.name,
        probe: kind,
        ...(wantedBy !== undefined && { wantedBy }),
        code,
        detail,
      });
    };
    if (result.code !== undefined) {
      // More starts would give the container a startup probe: it has a liveness probe to copy.
      const isAwaited = result.code === 'no-endpoint' && liveness !== undefined;
      report((isAwaited ? unlearned : undefined) ?? result, sourceOf(policy, kind));
      continue;
    }
    if (unlearned !== undefined) report(unlearned);
    const { instead, ...given } = result;
    if (instead !== undefined)
      report({ code: instead.code, detail: `${instead.detail}; it asks what the livenessProbe asks instead` });
    injections.push({ container, kind, policy, ...given });
    if (kind === 'livenessProbe') liveness = effectiveOf(given);
  }
}

function effectiveOf({ probe, isPortAimed }: GivenProbe): EffectiveLiveness {
  return { probe, numbers: probeTiming(probe), own: undefined, isPortAimed };
}

/** The liveness probe, unless no startup probe can guard a start for which the author's readiness waits. */
function guarded(
  found: StartupResult,
  own: Evidence['own'],
  startupBeside: (liveness: EffectiveLiveness) => StartupResult,
): StartupResult {
  const readiness = own.find(({ kind }) => kind === 'readinessProbe');
  // As long as startup-budget expects the start to take.
  const waits = readiness === undefined ? 0 : expectedStartSeconds(readiness.numbers);
  if (found.code !== undefined || waits <= longestStartSeconds(probeTiming(found.probe))) return found;
  const { code, detail } = startupBeside(effectiveOf(found)) as Partial<HandlerProblem>;
  if (code === undefined) return found;
  return {
    code,
    detail: `${detail}; without a startupProbe it may kill a start for which the readinessProbe waits ${waits} s`,
  };
}

/** @param isAlone true for a startup probe whose liveness probe is not injected: it would guard nothing */
function pastMesh(found: StartupResult, obstacle: string | undefined, isAlone: boolean): StartupResult {
  if (obstacle === undefined || found.code !== undefined) return found;
  const isBarred = isAlone || found.probe['exec'] === undefined;
  return isBarred ? { code: 'mesh-came-first', detail: obstacle } : found;
}

function sourceOf(
  { probes, startupSeconds, fromInitialDelaySeconds, learned }: ContainerPolicy,
  kind: ProbeKind,
): string | undefined {
  const { handler } = probes[kind];
  if (handler !== undefined || kind !== 'startupProbe') return handler?.layer.source;
  return (startupSeconds ?? fromInitialDelaySeconds ?? learned)?.layer.source;
}

const SKIPPED: HandlerProblem = { code: 'skipped-by-annotation', detail: `the annotation ${SKIP_ANNOTATION} says so` };

function unfitFor(container: Container): HandlerProblem | undefined {
  const { role } = container;
  const unfit = (code: HandlerProblem['code'], detail: string): HandlerProblem => ({ code, detail });
  if (role === 'mesh') return unfit('mesh-container', 'it is a service mesh proxy, which brings its own probes');
  if (role === 'init')
    return unfit('init-container', 'the API allows no probes on an init container without restartPolicy: Always');
  return container.runsForever ? undefined : unfit('run-to-completion', 'its own restartPolicy is not Always');
}

/** What the policies in force and the template's own annotations give to each container of the template. */
interface TemplatePolicy {
  readonly annotations: WorkloadAnnotations;
  /** Policies and the annotation identify a container by name, so a container without a name is left out. */
  readonly containers: readonly Container[];
  /** The layers that ask for probes, lowest first; the annotations are the highest. */
  readonly layers: readonly PolicyLayer[];
  readonly main: MainContainer;
  /** The merged policy of a container; undefined when no layer applies to it. */
  readonly policyFor: (container: Container) => ContainerPolicy | undefined;
}

export function templatePolicy(pod: Pod, policy: WorkloadPolicy): TemplatePolicy {
  const annotations = annotationsOf(pod, policy);
  const layers = layersWithProbes([...policy.layers, annotations.layer]);
  const all = layers.length === 0 ? [] : pod.containers;
  const containers = all.filter(({ name, role }) => name !== '' && role !== 'ephemeral');
  const main = mainContainerOf(containers, pod.annotations);
  // The main container, or the containers that the workload's annotation names instead.
  const isMain = ({ name, list, index }: Container): boolean =>
    annotations.containers?.has(name) ??
    (main.kind === 'found' && main.container.list === list && main.container.index === index);
  const applying = applyingTo(layers);
  const merged = oncePerLayers((some: readonly PolicyLayer[]) => (some.length > 0 ? mergeLayers(some) : undefined));
  const policyFor = (container: Container): ContainerPolicy | undefined =>
    container.name === '' ? undefined : merged(applying(container, isMain(container)));
  return { annotations, containers, layers, main, policyFor };
}

export function annotationsOf({ annotations }: Pod, policy: WorkloadPolicy): WorkloadAnnotations {
  return readAnnotations(policy.annotations === 'Allow' ? annotations : new Map());
}

/** Why no main container was found, and names in the workload's annotation that no container has. */
function unmatched({ annotations, containers, layers, main }: TemplatePolicy): NotInjected[] {
  if (!layers.some((layer) => layer.containers === 'main')) return [];
  if (annotations.containers === undefined)
    return main.kind === 'found' ? [] : [{ code: 'no-main-container', detail: mainProblem(main) }];
  const names = new Set(containers.map(({ name }) => name));
  const detail = 'the annotation names it, but the Pod has no such container';
  return [...annotations.containers]
    .filter((name) => !names.has(name))
    .slice(0, MAX_LISTED)
    .map((container) => ({ container, code: 'container-not-found', detail }));
}

const MAX_LISTED = 20;

function mainProblem(main: Exclude<MainContainer, { kind: 'found' }>): string {
  const listed = main.candidates.slice(0, MAX_LISTED).map((name) => `"${name}"`);
  const more = main.candidates.length - listed.length;
  const candidates = listed.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const hint = `name the containers in the policy or in the annotation ${CONTAINERS_ANNOTATION}`;
  if (main.kind === 'unknown-default-container')
    return `${DEFAULT_CONTAINER_ANNOTATION} names ${quoted(main.named)}, which is none of its application containers ${candidates}`;
  if (main.kind === 'no-tcp-port')
    return `cannot tell its main container: none of ${candidates || 'its containers'} declares a TCP port; ${hint}`;
  return `cannot tell its main container: ${candidates} all declare TCP ports; ${hint}`;
}
