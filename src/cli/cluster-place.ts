import { CLUSTER_PLACE } from './input/cluster-object.ts';
import type { Inputs } from './input/inputs.ts';

/** Where the inputs of a report are from. */
export type Origin = Pick<Inputs, 'isFromCluster'>;

/**
 * True for an object of a cluster. Such an object has no lines. Policies in files, which have lines, may be beside a
 * cluster.
 */
export function isInCluster(file: string, { isFromCluster = false }: Origin): boolean {
  return isFromCluster && (file === CLUSTER_PLACE || file.startsWith(`${CLUSTER_PLACE}:`));
}
