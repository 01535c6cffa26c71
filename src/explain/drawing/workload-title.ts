/** `web (Deployment in namespace apps)`: the name comes first, because readers look for the name. */
export function workloadTitle(workload: {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}): string {
  return `${workload.name} (${workload.kind} in namespace ${workload.namespace})`;
}
