/** The identity of a finding across runs. Files, lines, fields and texts change too easily. */
export interface FindingIdentity {
  readonly check: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  /** Absent when the finding is about the container as a whole. */
  readonly probe?: string | undefined;
}

/** Returns the identity as one text, equal for equal identities. */
export function findingKey({ check, kind, namespace, name, container, probe }: FindingIdentity): string {
  return JSON.stringify([check, kind, namespace, name, container, probe]);
}

/** Returns a function that numbers the findings of each identity, from 1. */
export function findingCounter(): (finding: FindingIdentity) => number {
  const counts = new Map<string, number>();
  return (finding) => {
    const key = findingKey(finding);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
}
