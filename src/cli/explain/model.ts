import type { ProbeKind } from '../../probes/probe.ts';
import type { Figure } from '../../probes/timing-figures.ts';
import type { ContainerRole } from '../../workload/containers.ts';
import type { Scene } from './scenes.ts';

/** A workload, explained. Texts are as they stand in the manifest: whoever draws them escapes them. */
export interface WorkloadExplanation {
  readonly kind: string;
  readonly namespace: string;
  /** The name; for one that only has a generateName that, and a star. */
  readonly name: string;
  /** `file:line:column` */
  readonly place: string;
  readonly containers: readonly ContainerExplanation[];
  /** Why containers got no more probes than they have, and what is wrong with annotations: one sentence each. */
  readonly notInjected: readonly string[];
}

export interface ContainerExplanation {
  readonly name: string;
  readonly role: ContainerRole;
  /** `spec.template.spec.containers[0]` */
  readonly path: string;
  readonly probes: readonly ProbeExplanation[];
  readonly figures: readonly Figure[];
  /** What the figures come to, in a sentence. */
  readonly headline: string;
  readonly scenes: readonly Scene[];
  /** What makes the figures not hold. */
  readonly caveats: readonly string[];
}

export interface ProbeExplanation {
  readonly kind: ProbeKind;
  /** `httpGet /healthz on port http` */
  readonly handler: string;
  /** `the manifest`, `ClusterProbePolicy/app`, ... */
  readonly from: string;
  /** The values of the letters in formulas, by letter; G in seconds, absent for a readiness probe, which kills nothing. */
  readonly letters: Readonly<Record<string, number>>;
}

/** What each figure is called, and from when it counts. */
export const FIGURE_TITLES: Readonly<Record<Figure['id'], string>> = {
  'first-probe': 'first probe',
  'first-probe-after-startup': 'first probe, after start-up passed',
  started: 'healthy at once: start-up passed',
  'time-to-start': 'time to start: guaranteed, largest',
  'never-healthy-stop': 'never healthy: told to stop',
  'never-healthy-dead': 'never healthy: dead',
  'deadlock-stop': 'from deadlock to told to stop',
  'deadlock-dead': 'from deadlock to dead',
  'ready-after-start': 'healthy at once: Ready',
  'not-ready': 'from unhealthy to NotReady',
  'ready-again': 'from healthy again to Ready',
};
