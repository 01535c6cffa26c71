import type { ControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { type ProbeKind, type StoredPod, pod, probePath } from './pods.ts';

/** The Pod as it would be stored; throws when it would not. */
export async function dryRun(cluster: ControlPlane, namespace: string): Promise<StoredPod> {
  const path = `/api/v1/namespaces/${namespace}/pods?dryRun=All`;
  const { status, body } = await cluster.request('POST', path, pod('trial', namespace));
  if (status !== 201) throw new Error(`a trial Pod in ${namespace}: ${status} ${body}`);
  return JSON.parse(body) as StoredPod;
}

/** So many Pods at once need connections of their own, and those spread over the replicas. */
const atOnce = 6;

/**
 * Waits until a Pod of the namespace would get a probe on that path, whichever replica is asked, and gives the
 * milliseconds that passed before such a Pod was sent.
 */
export async function untilProbePath(
  cluster: ControlPlane,
  namespace: string,
  kind: ProbeKind,
  path: string,
  timeout = 30_000,
): Promise<number> {
  const started = performance.now();
  const ask = async (): Promise<number | undefined> => {
    const asked = performance.now() - started;
    const stored = await Promise.all(Array.from({ length: atOnce }, () => dryRun(cluster, namespace)));
    return stored.every((one) => probePath(one, kind) === path) ? asked : undefined;
  };
  return waitUntil(`Pods in ${namespace} get ${kind} on ${path}`, ask, timeout, 20);
}
