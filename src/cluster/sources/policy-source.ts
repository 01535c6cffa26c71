import type { Facts } from '../../engine/facts/facts.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { YamlProblem } from '../../yaml/reading/documents.ts';

/** Something wrong with a policy file. Line and column count from 1. */
export interface FileProblem extends YamlProblem {
  /** True for a problem of a manifest that a directory holds and that nobody named. */
  readonly isFound?: boolean;
}

/** Everything that a source knows at one moment. */
export interface PolicySnapshot {
  readonly policies: readonly ProbePolicy[];
  readonly facts: Facts;
}

/** A problem in a source: its place, such as `policies/apps.yaml:12:5` or `ProbePolicy/apps/web`, and its message. */
export interface SourceProblem {
  readonly place: string;
  readonly message: string;
}

/** One line: `ProbePolicy/apps/web: spec.port: ...`. */
export function formatSourceProblem({ place, message }: SourceProblem): string {
  return `${place}: ${message}`;
}

export interface SourceStatus {
  /** The name of the source, for people: `directory examples/policies`. */
  readonly description: string;
  readonly problems: readonly string[];
  /** How many problems there are, when `problems` does not list all. */
  readonly problemCount?: number;
  /** Why there is no contact with the API server now. What was read stays in force. */
  readonly troubles?: readonly string[];
  /** When the snapshot in force was read, in milliseconds since the epoch; undefined before the first. */
  readonly lastSync: number | undefined;
}

/** The reports of a source. Nothing is reported after stop. */
export interface SourceListener {
  /** A new snapshot is to be in force. Never reported before start resolves. */
  readonly changed: (snapshot: PolicySnapshot) => void;
  /** The newest state has problems; what was in force stays in force. Reported once for each state. */
  readonly failed: (problems: readonly SourceProblem[]) => void;
  /** Policies that are in force, or come into force, have warnings. Reported once for each state. */
  readonly warned?: (warnings: readonly SourceProblem[]) => void;
  /** Contact with the API server is lost, or back (undefined). Reported once, not at every attempt. */
  readonly troubled?: (problem: string | undefined) => void;
}

export interface PolicySource {
  /** Reads the first snapshot. Rejects when there is none, because a server without its policies must not start. */
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
