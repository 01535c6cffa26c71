import type { Facts } from '../../engine/facts/facts.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { YamlProblem } from '../../yaml/reading/documents.ts';
import type { OverBudgetChange, UnreadableObject } from './left-out-objects.ts';

/** Something wrong with a policy file. Line and column count from 1. */
export interface FileProblem extends YamlProblem {
  /** True for a problem of a manifest that a directory holds and that nobody named. */
  readonly isFound?: boolean;
}

export interface PolicySnapshot {
  readonly policies: readonly ProbePolicy[];
  readonly facts: Facts;
}

export interface SourceStatus {
  readonly description: string;
  readonly problems: readonly string[];
  /** How many problems there are, when `problems` does not list all. */
  readonly problemCount?: number;
  /** Why there is no contact with the API server now. What was read stays in force. */
  readonly troubles?: readonly string[];
  /** When the snapshot in force was read, in milliseconds since the epoch; undefined before the first. */
  readonly lastSync: number | undefined;
}

/** Each problem and warning is a line: `policies/apps.yaml:12:5: spec.port: ...`, `ProbePolicy/apps/web: ...`. */
export interface SourceListener {
  readonly changed: (snapshot: PolicySnapshot) => void;
  /** The newest state has problems; what was in force stays in force. Reported once for each state. */
  readonly failed: (problems: readonly string[]) => void;
  /** Policies that are in force, or come into force, have warnings. Reported once for each state. */
  readonly warned?: (warnings: readonly string[]) => void;
  /** Contact with the API server is lost, or back (undefined). Reported once, not at every attempt. */
  readonly troubled?: (problem: string | undefined) => void;
  /** Objects of a kind come to be over a budget, or are within the budgets again. */
  readonly overBudget?: (kind: string, change: OverBudgetChange) => void;
  /** A fact cannot be read. Reported once for each problem, and for few objects of a namespace at once. */
  readonly unreadable?: (kind: string, object: UnreadableObject) => void;
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
