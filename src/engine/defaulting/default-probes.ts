import { objectMember, type JsonObject } from '../../base/json/json-value.ts';
import { OPT_OUT_LABEL, OPT_OUT_VALUE, SKIP_ANNOTATION, hasOptedOut } from '../policy/annotations.ts';
import { handlerKindsOf, ownProbe, PROBE_KINDS, type ProbeKind } from '../probe/probe.ts';
import { hasMeshProbe } from '../workload/mesh.ts';
import { NO_HINTS, type PortHints } from '../workload/port-protocol.ts';
import { portsOf } from '../workload/ports.ts';
import { runsForever, type Container } from '../workload/containers.ts';
import { plainDefault } from './plain-probe.ts';
import { startupDefault, withoutLearnedBudget, type EffectiveLiveness } from './startup.ts';
import { TemplatePolicy } from './template-policy.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import { injectionAt, type HandlerProblem, type Injection, type NotInjected } from './injection.ts';
import type { Evidence } from './handler.ts';

export interface Defaulting {
  readonly injections: readonly Injection[];
  readonly notInjected: readonly NotInjected[];
  readonly warnings: readonly string[];
}

const NOTHING: Defaulting = { injections: [], notInjected: [], warnings: [] };

export interface DefaultingOptions {
  /** The Pods run to completion: Job, CronJob. */
  readonly runsToCompletion: boolean;
  /** Set when the API server asks about a Pod: only then the annotation about injected probes counts. */
  readonly isAskedByApiServer?: true;
  /** Probes of the Pod that are not the author's. */
  readonly injectedEarlier?: readonly Injection[];
}

/** Why a probe must not be injected, whatever policies say; undefined when it may be. */
export type ForbiddenProbes = (container: Container, kind: ProbeKind) => HandlerProblem | undefined;

const NONE_FORBIDDEN: ForbiddenProbes = () => undefined;

/**
 * The probes that policies give to containers that lack them, without regard to floors (see permittedDefaulting).
 *
 * @param template an object with `metadata` and `spec`: a Pod, or the template in a workload
 */
export function defaultProbes(
  template: JsonObject,
  policy: WorkloadPolicy,
  options: DefaultingOptions,
  forbidden: ForbiddenProbes = NONE_FORBIDDEN,
): Defaulting {
  const podSpec = objectMember(template, 'spec');
  if (podSpec === undefined) return NOTHING;
  const own = new TemplatePolicy(template, policy);
  const { skip, warnings } = own.annotations;
  // A policy that only sets checks asks for no probe, so it reports no missing ones either.
  if (own.layers.length === 0) return { ...NOTHING, warnings };
  const reason = reasonOfPod(template, podSpec, options);
  if (reason !== undefined) return { ...NOTHING, notInjected: [reason], warnings };
  const result = { injections: [], notInjected: own.unmatched(), warnings };
  for (const container of own.containers) {
    const merged = own.policyFor(container);
    if (merged === undefined) continue;
    const known: ContainerKnowledge = {
      skip,
      isInjected: (kind) => injectionAt(options.injectedEarlier ?? [], container, kind) !== undefined,
      hints: policy.portHints ?? NO_HINTS,
      forbidden,
      starts: merged.learned && policy.starts?.(container.name),
    };
    defaultContainer(container, merged, known, result);
  }
  return result;
}

function reasonOfPod(template: JsonObject, podSpec: JsonObject, options: DefaultingOptions): NotInjected | undefined {
  if (hasOptedOut(template)) {
    const detail = `the label ${OPT_OUT_LABEL}: ${OPT_OUT_VALUE} keeps the Pod from the mutating webhook`;
    return { code: 'opted-out', detail };
  }
  if (!options.runsToCompletion && runsForever(podSpec)) return undefined;
  return { code: 'run-to-completion', detail: 'its containers run to completion (restartPolicy is not Always)' };
}

/** The result for a template that gets no probe: the warnings about malformed annotations. */
export function withoutInjections(template: JsonObject, policy: WorkloadPolicy): Defaulting {
  if (objectMember(template, 'spec') === undefined) return NOTHING;
  return { ...NOTHING, warnings: new TemplatePolicy(template, policy).annotations.warnings };
}

interface ContainerKnowledge {
  readonly skip: ReadonlySet<ProbeKind>;
  readonly isInjected: (kind: ProbeKind) => boolean;
  readonly hints: PortHints;
  readonly forbidden: ForbiddenProbes;
  readonly starts: StartFigures | undefined;
}

function defaultContainer(
  container: Container,
  policy: ContainerPolicy,
  { skip, isInjected, hints, forbidden, starts }: ContainerKnowledge,
  { injections, notInjected }: { readonly injections: Injection[]; readonly notInjected: NotInjected[] },
): void {
  const { name } = container;
  const missing = PROBE_KINDS.filter((kind) => ownProbe(container.spec, kind) === undefined);
  if (missing.length === 0) return;
  const unfit = unfitFor(container);
  if (unfit !== undefined) {
    notInjected.push({ container: name, ...unfit });
    return;
  }
  const evidence = { ports: portsOf(container.spec), hints, own: authorsProbes(container, isInjected) };
  const ownLiveness = objectMember(container.spec, 'livenessProbe');
  let liveness: EffectiveLiveness | undefined = ownLiveness && {
    probe: ownLiveness,
    isInjected: isInjected('livenessProbe'),
  };
  // PROBE_KINDS has liveness before startup: the startup probe depends on the liveness probe that the container gets.
  for (const probe of missing) {
    const isStartup = probe === 'startupProbe';
    const refusal = skip.has(probe) ? SKIPPED : forbidden(container, probe);
    const result =
      refusal ??
      (isStartup ? startupDefault(evidence, policy, liveness, starts) : plainDefault(evidence, policy, probe));
    const unlearned = refusal === undefined && isStartup ? withoutLearnedBudget(policy, starts) : undefined;
    if ('code' in result) {
      const wantedBy = sourceOf(policy, probe);
      // More starts would give the container a startup probe: it has a liveness probe to copy.
      const isAwaited = unlearned !== undefined && result.code === 'no-endpoint' && liveness !== undefined;
      const why = isAwaited ? unlearned : result;
      notInjected.push({ container: name, probe, ...(wantedBy !== undefined && { wantedBy }), ...why });
      continue;
    }
    if (unlearned !== undefined) notInjected.push({ container: name, probe, ...unlearned });
    const { instead, ...given } = result;
    if (instead !== undefined) {
      const detail = `${instead.detail}; it asks what the livenessProbe asks instead`;
      notInjected.push({ container: name, probe, code: instead.code, detail });
    }
    injections.push({ container, kind: probe, policy, ...given });
    if (probe === 'livenessProbe') liveness = { probe: given.probe, isInjected: true };
  }
}

/** The probes that the author wrote. Null counts as absent, and the API server refuses other values. */
function authorsProbes({ spec }: Container, isInjected: (kind: ProbeKind) => boolean): Evidence['own'] {
  return PROBE_KINDS.flatMap((kind) => {
    const probe = objectMember(spec, kind);
    return probe && handlerKindsOf(probe).length === 1 && !isInjected(kind) ? [[kind, probe] as const] : [];
  });
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

function unfitFor({ name, role, spec }: Container): HandlerProblem | undefined {
  const unfit = (code: HandlerProblem['code'], detail: string): HandlerProblem => ({ code, detail });
  if (role === 'mesh') return unfit('mesh-container', 'it is a service mesh proxy, which brings its own probes');
  if (role === 'init')
    return unfit('init-container', 'the API allows no probes on an init container without restartPolicy: Always');
  const probes = PROBE_KINDS.map((kind) => ownProbe(spec, kind));
  if (hasMeshProbe(name, probes))
    return unfit(
      'mesh-container',
      'Istio has redirected its probes to its agent; one added beside them would bypass the mesh',
    );
  return runsForever(spec) ? undefined : unfit('run-to-completion', 'its own restartPolicy is not Always');
}
