import { objectMember, stringMap } from '../../base/json/json-value.ts';
import { ownProbe, PROBE_KINDS } from '../probe/probe.ts';
import { quoted } from '../../base/json/quoted-value.ts';
import { CONTAINERS_ANNOTATION, INJECTED_ANNOTATION, readAnnotations, SKIP_ANNOTATION } from '../policy/annotations.ts';
import { containersOf } from '../workload/containers.ts';
import { hasMeshProbe } from '../workload/mesh.ts';
import { DEFAULT_CONTAINER_ANNOTATION, mainContainerOf } from '../workload/main-container.ts';
import { NO_HINTS } from '../workload/port-protocol.ts';
import { portsOf } from '../workload/ports.ts';
import { containerRunsForever, podRunsForever } from '../workload/restart-policy.ts';
import { authorsProbes, injectedEarlier, livenessOf } from './earlier-call.ts';
import { ContainerLayers } from '../policy/container-layers.ts';
import { plainDefault } from './plain-probe.ts';
import { hasOptedOut, OPT_OUT_LABEL, OPT_OUT_VALUE } from './opt-out.ts';
import { readProvenance } from './provenance.ts';
import { startupDefault, withoutLearnedBudget } from './startup.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { StartFigures } from '../probe/learned-budget.ts';
import type { ProbeKind } from '../probe/probe.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { WorkloadAnnotations } from '../policy/annotations.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import type { Container } from '../workload/containers.ts';
import type { MainContainer } from '../workload/main-container.ts';
import type { PortHints } from '../workload/port-protocol.ts';
import type { Named } from './earlier-call.ts';
import type { StartupResult } from './startup.ts';
import type { HandlerProblem, NotInjected } from './reason.ts';
import type { Injection } from './injection.ts';

/** The result of defaulting a Pod template. */
export interface Defaulting {
  readonly injections: readonly Injection[];
  readonly notInjected: readonly NotInjected[];
  /** Malformed annotations, for the workload's author. */
  readonly warnings: readonly string[];
}

const NOTHING: Defaulting = { injections: [], notInjected: [], warnings: [] };

/** The facts about a workload's Pods that follow from the workload's kind. */
export interface DefaultingOptions {
  /** The Pods run to completion: Job, CronJob. */
  readonly runsToCompletion: boolean;
  /**
   * The API server asks about a Pod, maybe a second time. Only then the annotation about injected probes counts: in
   * templates and files, somebody has copied the annotation.
   */
  readonly isAskedByApiServer?: true;
}

/** Why a probe must not be injected, whatever policies say; undefined when it may be. */
export type ForbiddenProbes = (container: Container, kind: ProbeKind) => HandlerProblem | undefined;

const NONE_FORBIDDEN: ForbiddenProbes = () => undefined;

/**
 * The probes that policies give to containers that lack them. Checks are not consulted here: permittedDefaulting in
 * src/engine/verdict leaves out probes that a floor forbids.
 *
 * @param template an object with `metadata` and `spec`: a Pod, or the template in a workload
 * @param policy what is in force for the template, from PolicySet.policyFor
 */
export function defaultProbes(
  template: JsonObject,
  policy: WorkloadPolicy,
  options: DefaultingOptions,
  forbidden: ForbiddenProbes = NONE_FORBIDDEN,
): Defaulting {
  const podSpec = objectMember(template, 'spec');
  if (podSpec === undefined) return NOTHING;
  const podAnnotations = stringMap(objectMember(template, 'metadata') ?? {}, 'annotations');
  const annotations = policy.annotations === 'Allow' ? readAnnotations(podAnnotations) : readAnnotations(new Map());
  // A policy that only sets checks asks for no probe, so it reports no missing ones either.
  const layersFor = policy.containerLayers().with(annotations.layer);
  const { layers } = layersFor;
  const injectedBefore = readProvenance(
    options.isAskedByApiServer === true ? podAnnotations.get(INJECTED_ANNOTATION) : undefined,
  );
  if (layers.length === 0) return { ...NOTHING, warnings: annotations.warnings };
  if (hasOptedOut(template)) {
    const detail = `the label ${OPT_OUT_LABEL}: ${OPT_OUT_VALUE} keeps the Pod from the mutating webhook`;
    return { ...NOTHING, notInjected: [{ code: 'opted-out', detail }], warnings: annotations.warnings };
  }
  if (options.runsToCompletion || !podRunsForever(podSpec)) {
    const detail = 'its containers run to completion (restartPolicy is not Always)';
    return { ...NOTHING, notInjected: [{ code: 'run-to-completion', detail }], warnings: annotations.warnings };
  }
  // Policies and the annotation identify a container by name, so a container without a name gets nothing.
  const containers = containersOf(podSpec).filter(({ name }) => name !== '');
  const targets = new Targets(containers, podAnnotations, annotations);
  const injections: Injection[] = [];
  const notInjected: NotInjected[] = targets.unmatched(layers);
  const isMain = (container: Container): boolean => targets.isMain(container);
  for (const container of containers) {
    const merged = layersFor.policyFor(container, isMain);
    if (merged === undefined) continue;
    const known = {
      skip: annotations.skip,
      injectedBefore: injectedBefore.get(container.name),
      platform: () => {
        const layers = policy.layers.filter(({ kind }) => kind === 'ClusterProbePolicy');
        const given = new ContainerLayers(layers).with(annotations.layer).policyFor(container, isMain);
        return given === undefined ? [] : [given];
      },
      hints: policy.portHints ?? NO_HINTS,
      forbidden,
      starts: merged.learned && policy.starts?.(container.name),
    };
    defaultContainer(container, merged, known, injections, notInjected);
  }
  return { injections, notInjected, warnings: annotations.warnings };
}

/** The result for a template that gets no probe: the warnings about malformed annotations. */
export function withoutInjections(template: JsonObject, policy: WorkloadPolicy): Defaulting {
  if (policy.annotations !== 'Allow' || objectMember(template, 'spec') === undefined) return NOTHING;
  const { warnings } = readAnnotations(stringMap(objectMember(template, 'metadata') ?? {}, 'annotations'));
  return warnings.length === 0 ? NOTHING : { ...NOTHING, warnings };
}

/**
 * The merged policy of each container of a template, also of containers that have their own probes and get none.
 * Containers are identified by their place.
 */
export function containerPolicies(
  template: JsonObject,
  policy: WorkloadPolicy,
): (container: Container) => ContainerPolicy | undefined {
  const podAnnotations = stringMap(objectMember(template, 'metadata') ?? {}, 'annotations');
  const annotations = readAnnotations(policy.annotations === 'Allow' ? podAnnotations : new Map());
  const layersFor = policy.containerLayers().with(annotations.layer);
  const containers = containersOf(objectMember(template, 'spec') ?? {}).filter(({ name }) => name !== '');
  const targets = new Targets(containers, podAnnotations, annotations);
  return ({ list, index }) => {
    const own = containers.find((container) => container.list === list && container.index === index);
    return own && layersFor.policyFor(own, (container) => targets.isMain(container));
  };
}

/** The containers that layers with `containers: main` apply to. */
class Targets {
  readonly #containers: readonly Container[];
  readonly #podAnnotations: ReadonlyMap<string, string>;
  /** The main containers that the workload's own annotation names. */
  readonly #chosen: ReadonlySet<string> | undefined;

  /** Determined only when a layer needs the main container. */
  #found: MainContainer | undefined;

  constructor(
    containers: readonly Container[],
    podAnnotations: ReadonlyMap<string, string>,
    { containers: chosen }: WorkloadAnnotations,
  ) {
    this.#containers = containers;
    this.#podAnnotations = podAnnotations;
    this.#chosen = chosen;
  }

  get #main(): MainContainer {
    return (this.#found ??= mainContainerOf(this.#containers, this.#podAnnotations));
  }

  /** True for the main container, or for the containers that the workload's annotation names instead. */
  isMain(container: Container): boolean {
    if (this.#chosen !== undefined) return this.#chosen.has(container.name);
    return 'container' in this.#main && this.#main.container === container;
  }

  /** Why no main container was found, and names in the workload's annotation that no container has. */
  unmatched(layers: readonly PolicyLayer[]): NotInjected[] {
    if (!layers.some((layer) => layer.containers === 'main')) return [];
    if (this.#chosen !== undefined) {
      const names = new Set(this.#containers.map(({ name }) => name));
      return [...this.#chosen]
        .filter((name) => !names.has(name))
        .slice(0, MAX_LISTED)
        .map((name) => ({
          container: name,
          code: 'container-not-found',
          detail: 'the annotation names it, but the Pod has no such container',
        }));
    }
    return 'container' in this.#main ? [] : [{ code: 'no-main-container', detail: mainProblem(this.#main) }];
  }
}

/** A reason lists at most this many containers. */
const MAX_LISTED = 20;

function mainProblem(main: Exclude<MainContainer, { container: Container }>): string {
  const listed = main.candidates.slice(0, MAX_LISTED).map((name) => `"${name}"`);
  const more = main.candidates.length - listed.length;
  const candidates = listed.join(', ') + (more > 0 ? ` and ${more} more` : '');
  const hint = `name the containers in the policy or in the annotation ${CONTAINERS_ANNOTATION}`;
  if (main.problem === 'unknown-default-container') {
    return `${DEFAULT_CONTAINER_ANNOTATION} names ${quoted(main.named)}, which is none of its application containers ${candidates}`;
  }
  if (main.problem === 'no-tcp-port')
    return `cannot tell its main container: none of ${candidates || 'its containers'} declares a TCP port; ${hint}`;
  return `cannot tell its main container: ${candidates} all declare TCP ports; ${hint}`;
}

/** The Pod's annotations about one container. */
interface ContainerKnowledge {
  readonly skip: ReadonlySet<ProbeKind>;
  /** What the annotation names as probes that an earlier call for this Pod injected, with their sources. */
  readonly injectedBefore: Named | undefined;
  /** The merged policy of the cluster's layers alone; empty if they do not apply to the container. */
  readonly platform: () => readonly ContainerPolicy[];
  readonly hints: PortHints;
  readonly forbidden: ForbiddenProbes;
  /** The known past starts of the container. */
  readonly starts: StartFigures | undefined;
}

function defaultContainer(
  container: Container,
  policy: ContainerPolicy,
  known: ContainerKnowledge,
  injections: Injection[],
  notInjected: NotInjected[],
): void {
  const missing = PROBE_KINDS.filter((kind) => ownProbe(container.spec, kind) === undefined);
  if (missing.length === 0) return;
  const unfit = unfitFor(container);
  if (unfit !== undefined) {
    notInjected.push({ container: container.name, ...unfit });
    return;
  }
  const open = { ports: portsOf(container.spec), hints: known.hints };
  const injected = injectedEarlier(
    container,
    known.injectedBefore,
    open,
    () => [policy, ...known.platform()],
    known.starts,
  );
  const evidence = { ...open, own: authorsProbes(container, injected) };
  let liveness = livenessOf(container, injected);
  // PROBE_KINDS has liveness before startup: the startup probe depends on the liveness probe that the container gets.
  for (const kind of missing) {
    const refusal = known.skip.has(kind) ? SKIPPED : known.forbidden(container, kind);
    const result =
      refusal ??
      (kind === 'startupProbe'
        ? startupDefault(evidence, policy, liveness, known.starts)
        : plainDefault(evidence, policy, kind));
    const unlearned =
      refusal === undefined && kind === 'startupProbe' ? withoutLearnedBudget(policy, known.starts) : undefined;
    if ('code' in result) {
      const wantedBy = giverIn(policy, kind);
      // More starts would give the container a startup probe: it has a liveness probe to copy.
      const isAwaited = unlearned !== undefined && result.code === 'no-endpoint' && liveness !== undefined;
      notInjected.push({
        container: container.name,
        probe: kind,
        ...(wantedBy !== undefined && { wantedBy }),
        ...(isAwaited ? unlearned : result),
      });
      continue;
    }
    if (unlearned !== undefined) notInjected.push({ container: container.name, probe: kind, ...unlearned });
    const { instead } = result;
    if (instead !== undefined) {
      const detail = `${instead.detail}; it asks what the livenessProbe asks instead`;
      notInjected.push({ container: container.name, probe: kind, code: instead.code, detail });
    }
    injections.push(injectionOf(result, container, kind, policy));
    if (kind === 'livenessProbe') liveness = { probe: result.probe, injectedFrom: result.source };
  }
}

/** Copied member by member: a rest and a spread of a few members take longer than to work out the probe. */
function injectionOf(
  result: Exclude<StartupResult, HandlerProblem>,
  container: Container,
  kind: ProbeKind,
  policy: ContainerPolicy,
): Injection {
  const { probe, source, copiesLiveness, follows, isLikeOwn, isMadeSafe, followsDelay, learned } = result;
  const injection: { -readonly [Key in keyof Injection]: Injection[Key] } = { container, kind, policy, probe, source };
  if (follows !== undefined) injection.follows = follows;
  if (isLikeOwn !== undefined) injection.isLikeOwn = isLikeOwn;
  if (isMadeSafe !== undefined) injection.isMadeSafe = isMadeSafe;
  if (copiesLiveness !== undefined) injection.copiesLiveness = copiesLiveness;
  if (followsDelay !== undefined) injection.followsDelay = followsDelay;
  if (learned !== undefined) injection.learned = learned;
  return injection;
}

/** The layer that describes the probe, or that asks for a startup probe by a slow start. */
function giverIn(
  { probes, startupSeconds, fromInitialDelaySeconds, learned }: ContainerPolicy,
  kind: ProbeKind,
): string | undefined {
  const { handler } = probes[kind];
  if (handler !== undefined || kind !== 'startupProbe') return handler?.source;
  return (startupSeconds ?? fromInitialDelaySeconds ?? learned)?.source;
}

const SKIPPED: HandlerProblem = {
  code: 'skipped-by-annotation',
  detail: `the annotation ${SKIP_ANNOTATION} says so`,
};

/** Why a container gets no probe at all; undefined when it may get some. */
function unfitFor(container: Container): HandlerProblem | undefined {
  if (container.role === 'mesh')
    return { code: 'mesh-container', detail: 'it is a service mesh proxy, which brings its own probes' };
  if (container.role === 'init')
    return {
      code: 'init-container',
      detail: 'the API allows no probes on an init container without restartPolicy: Always',
    };
  if (
    hasMeshProbe(
      container.name,
      PROBE_KINDS.map((kind) => ownProbe(container.spec, kind)),
    )
  ) {
    return {
      code: 'mesh-container',
      detail: 'Istio has redirected its probes to its agent; one added beside them would bypass the mesh',
    };
  }
  return containerRunsForever(container.spec)
    ? undefined
    : { code: 'run-to-completion', detail: 'its own restartPolicy is not Always' };
}
