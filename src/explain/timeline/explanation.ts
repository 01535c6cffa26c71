import type { InjectionTier } from '../../engine/policy/injection-tier.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { ProbedContainer } from '../../engine/workload/pod.ts';
import type { ExplainedField } from './explained-field.ts';
import type { Figure, FormulaInputs } from './figures.ts';
import type { UnknownTime } from './container-timings.ts';
import type { Scene } from './scene.ts';

/** A workload, explained. Texts are as the manifest has them: the room that draws them escapes them. */
export interface WorkloadExplanation extends Readonly<Record<'kind' | 'namespace', string>> {
  /** The name; for an object with only a generateName, the generateName and a star. */
  readonly name: string;
  /** `file:line:column` */
  readonly place: string;
  readonly containers: readonly ContainerExplanation[];
  /** Why containers got no further probes, and what is wrong with annotations: one sentence each. */
  readonly notInjected: readonly string[];
  /** The exceptions for the workload: one sentence each. Absent without any. */
  readonly exceptions?: readonly string[];
  /** What injects the probes of policies. Absent when it is not known. */
  readonly injection?: WorkloadInjection;
  /** The live Pods that lack these probes, and what to do: one sentence. Absent when they have them. */
  readonly lacking?: string;
}

/** What a tier injects into the Pods of a workload, and what only the webhook would inject. */
export interface WorkloadInjection {
  readonly tier: InjectionTier;
  readonly injected: readonly InjectedProbe[];
  readonly leftOut: readonly (InjectedProbe & { readonly constructs: readonly string[] })[];
}

type InjectedProbe = Readonly<Record<'container' | 'probe', string>>;

export interface ContainerExplanation {
  readonly name: string;
  readonly role: ProbedContainer['role'];
  /** `spec.template.spec.containers[0]` */
  readonly path: string;
  readonly probes: readonly ProbeExplanation[];
  readonly figures: readonly Figure[];
  /** The findings by which probes cannot work. No figure depends on such a probe. */
  readonly cannotWork: readonly Readonly<Record<'probe' | 'check' | 'message', string>>[];
  readonly unknown: readonly UnknownTime[];
  readonly summary: readonly SummaryLine[];
  /** The figures of the start, in a sentence. */
  readonly headline: string;
  /** Starts that were measured in the past, in seconds. */
  readonly measured: readonly number[];
  readonly scenes: readonly Scene[];
  readonly caveats: readonly string[];
}

/** What somebody must know first of a container: its start, its kills, its traffic, its probes. One line each. */
export interface SummaryLine {
  readonly about: 'starts' | 'hangs' | 'traffic' | 'probes' | 'note';
  readonly text: string;
}

export interface ProbeExplanation {
  readonly kind: ProbeKind;
  /** `httpGet /healthz on port http` */
  readonly handler: string;
  /** `the manifest`, `ClusterProbePolicy/app`, ... */
  readonly from: string;
  /** What gives an injected startup probe its time to start: `by its livenessProbe`. A policy may write the number. */
  readonly budget?: { readonly text: string; readonly isWritten: boolean };
  /** The values of the letters in formulas; no G for a readiness probe, which kills nothing. */
  readonly letters: FormulaInputs;
  readonly fields: readonly ExplainedField[];
}

/** `web (Deployment in namespace apps)`: the name comes first, because readers look for the name. */
export function workloadTitle(workload: Pick<WorkloadExplanation, 'kind' | 'namespace' | 'name'>): string {
  return `${workload.name} (${workload.kind} in namespace ${workload.namespace})`;
}
