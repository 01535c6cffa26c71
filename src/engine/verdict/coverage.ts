import { objectMember } from '../../base/json/json-value.ts';
import { ownProbe } from '../probe/probe.ts';
import { containersOf } from '../workload/containers.ts';
import { containerRunsForever, podRunsForever } from '../workload/restart-policy.ts';
import { permittedDefaulting } from './permitted-defaulting.ts';
import type { Defaulting, DefaultingOptions } from '../defaulting/default-probes.ts';
import type { NotInjected, ReasonCode } from '../defaulting/reason.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import type { Container } from '../workload/containers.ts';

/** The probes that coverage counts: a container without one of them has nobody who looks after it. */
export const COVERED_PROBES = ['livenessProbe', 'readinessProbe'] as const;
export type CoveredProbe = (typeof COVERED_PROBES)[number];

/**
 * Why a container lacks a probe: why defaulting gave none, or why defaulting was not asked. `no-policy`: no policy for
 * the Pod asks for probes. `not-selected`: the policies for the Pod select other containers.
 */
export type LackReason = ReasonCode | 'no-policy' | 'not-selected';

/** A container's coverage by one probe: its own probe, a probe from a policy, or no probe for a reason. */
export type ProbeCover = 'have' | 'get' | LackReason;

/** Which containers of a Pod template have probes. */
export interface TemplateCoverage {
  /** Of each application container and native sidecar: the only containers that are expected to have probes. */
  readonly containers: readonly Readonly<Record<CoveredProbe, ProbeCover>>[];
  /** Set when policies want the main container and no main container can be determined. */
  readonly noMainContainer?: { readonly policies: readonly string[]; readonly detail: string };
}

/** Says which containers have probes, get probes from policies, or lack probes. */
export function coverageOf(template: JsonObject, policy: WorkloadPolicy, options: DefaultingOptions): TemplateCoverage {
  const podSpec = objectMember(template, 'spec') ?? {};
  const defaulting = permittedDefaulting(template, policy, options);
  const asking = policy.containerLayers().layers;
  const known: Known = {
    runsForever: !options.runsToCompletion && podRunsForever(podSpec),
    isAsked: asking.length > 0,
    ...outcomeOf(defaulting),
  };
  const containers = containersOf(podSpec)
    .filter(({ role }) => role === 'application' || role === 'sidecar')
    .map((container) => ({
      livenessProbe: coverOf(container, 'livenessProbe', known),
      readinessProbe: coverOf(container, 'readinessProbe', known),
    }));
  const problem = defaulting.notInjected.find(({ code }) => code === 'no-main-container');
  if (problem === undefined) return { containers };
  const policies = asking.filter((layer) => layer.containers === 'main').map(({ source }) => source);
  return { containers, noMainContainer: { policies, detail: problem.detail } };
}

/** The known facts about all containers of a Pod. */
interface Known {
  readonly runsForever: boolean;
  readonly isAsked: boolean;
  /** Places of injected probes, as placeOf makes them. */
  readonly injected: ReadonlySet<string>;
  /** By the container's name; reasons for the whole Pod are under undefined. */
  readonly reasons: ReadonlyMap<string | undefined, readonly NotInjected[]>;
}

function outcomeOf({ injections, notInjected }: Defaulting): Pick<Known, 'injected' | 'reasons'> {
  return {
    injected: new Set(injections.map(({ container, kind }) => placeOf(container, kind))),
    reasons: Map.groupBy(notInjected, ({ container }) => container),
  };
}

function placeOf({ list, index }: Container, kind: string): string {
  return `${list} ${index} ${kind}`;
}

function coverOf(container: Container, probe: CoveredProbe, { injected, reasons, ...known }: Known): ProbeCover {
  if (ownProbe(container.spec, probe) !== undefined) return 'have';
  if (injected.has(placeOf(container, probe))) return 'get';
  if (!known.runsForever || !containerRunsForever(container.spec)) return 'run-to-completion';
  if (!known.isAsked) return 'no-policy';
  const own = reasons.get(container.name)?.find((reason) => (reason.probe ?? probe) === probe);
  if (own !== undefined) return own.code;
  const ofPod = reasons.get(undefined)?.[0]?.code;
  // Policies with `containers: main` do not speak of native sidecars.
  return ofPod === undefined || (ofPod === 'no-main-container' && container.role === 'sidecar')
    ? 'not-selected'
    : ofPod;
}
