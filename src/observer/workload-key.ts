/** A workload by its name. The UID of a Deployment cannot be read from its Pods: they name the ReplicaSet. */
export interface WorkloadName {
  readonly namespace: string;
  /** The kind alone: `Deployment`. Two kinds of the same name in two groups are told apart by `group`. */
  readonly kind: string;
  /** The API group; empty for the core group. */
  readonly group: string;
  readonly name: string;
}

/** The workload as one text, for maps. */
export function workloadKey({ namespace, group, kind, name }: WorkloadName): string {
  return `${namespace}/${group}/${kind}/${name}`;
}
