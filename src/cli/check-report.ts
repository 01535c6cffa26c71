import type { FieldPath } from '../base/json/field-path.ts';
import type { Violation } from '../engine/checks/violation.ts';
import type { Coverage } from './check-coverage.ts';
import type { FileProblem } from '../cluster/sources/policy-documents.ts';

/** The place of an object in a file. The edits of a violation begin there. */
export interface ObjectPlace {
  /** The document of the file, as YamlDocument.index. */
  readonly document: number;
  readonly path: FieldPath;
}

/** A violation and its place in the input. */
export interface PlacedViolation extends Violation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Absent when the violation comes from no file. */
  readonly object?: ObjectPlace;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** For a finding about a policy: how many workloads of the inputs get the probe. */
  readonly workloads?: number;
}

/** The object of a violation as people write it: `Deployment apps/web`, `ClusterProbePolicy app`. */
export function objectName({ kind, namespace, name }: Pick<PlacedViolation, 'kind' | 'namespace' | 'name'>): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** The findings of `probewright check`. `shownReport` makes of them the printed report. */
export interface CheckReport {
  /** True when the findings are in objects of a cluster: their `file` is no file, and their lines mean nothing. */
  readonly isFromCluster?: boolean;
  readonly violations: readonly PlacedViolation[];
  readonly summary: {
    /** Objects read, and how many of them hold a Pod template. */
    readonly objects: number;
    readonly workloads: number;
    readonly deny: number;
    readonly warn: number;
    readonly audit: number;
    /** Violations that exceptions allow. */
    readonly excepted: number;
    readonly coverage: Coverage;
  };
  /**
   * Annotations that have no effect. The webhook returns such warnings when a workload is applied. For standard error.
   */
  readonly warnings: readonly FileProblem[];
  /** The inputs that could not be read. For standard error, in every output format. */
  readonly problems: readonly FileProblem[];
}
