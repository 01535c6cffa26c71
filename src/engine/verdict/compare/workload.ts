import type { Snapshot } from '../../facts/snapshot.ts';
import type { Violation } from '../../checks/violation.ts';
import type { Subject } from '../judge.ts';

/** A workload whose future under other policies is computed. */
export interface Workload extends Subject {
  readonly name: string;
  /** The object as the API server decodes the object, if that differs. Violations are found in it. */
  readonly asSent?: Subject;
  /** The violations that no review shows, as the API server drops such fields. Absent for objects of a cluster. */
  readonly violationsOfText?: (policies: Snapshot) => readonly Violation[];
}
