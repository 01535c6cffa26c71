import type { NamespaceLabels } from '../policy/policy-set.ts';
import type { ProbePolicy } from '../policy/probe-policy.ts';
import type { FileProblem } from './policy-documents.ts';

/** Everything that a source knows at one moment. */
export interface PolicySnapshot {
  readonly policies: readonly ProbePolicy[];
  readonly namespaceLabels: NamespaceLabels;
}

/** Something wrong in a source: where, `policies/apps.yaml:12:5` or `ProbePolicy/apps/web`, and what. */
export interface SourceProblem {
  readonly place: string;
  readonly message: string;
}

/** One line: `ProbePolicy/apps/web: spec.port: ...`. */
export function formatSourceProblem({ place, message }: SourceProblem): string {
  return `${place}: ${message}`;
}

/** How a source is doing, for /readyz and metrics. */
export interface SourceStatus {
  /** What the source is, for people: `directory examples/policies`. */
  readonly description: string;
  /** The newest state could not be used; the last good one is in force. Empty when all is well. */
  readonly problems: readonly string[];
  /** How many problems there are, when not all of them are listed. */
  readonly problemCount?: number;
  /** Why there is no contact now with where the policies come from; what was read stays in force. Absent = there cannot be such. */
  readonly troubles?: readonly string[];
  /** When the snapshot in force was read, in milliseconds since the epoch; undefined before the first. */
  readonly lastSync: number | undefined;
}

/** What a source tells as things change. Nothing is told after stop. */
export interface SourceListener {
  /** A new set of policies is to be in force. Never told before start resolves. */
  readonly changed: (snapshot: PolicySnapshot) => void;
  /** The newest state is bad; what was in force stays in force. Told once for each state. */
  readonly failed: (problems: readonly SourceProblem[]) => void;
  /** There is no contact with where the policies come from, or there is again (undefined). Told once, not at every attempt. */
  readonly troubled?: (problem: string | undefined) => void;
}

/** Where policies come from. */
export interface PolicySource {
  /** Reads the first snapshot. Rejects when there is none to be had: a server without its policies must not start. */
  start(listener: SourceListener): Promise<PolicySnapshot>;
  stop(): void;
  status(): SourceStatus;
}

/** A first load that failed, with every problem found. */
export class PolicyFilesError extends Error {
  readonly problems: readonly FileProblem[];

  constructor(message: string, problems: readonly FileProblem[] = []) {
    super(message);
    this.name = 'PolicyFilesError';
    this.problems = problems;
  }
}
