import { type StoredPod, deployment, deploymentsOf, pod } from './pods.ts';
import type { ControlPlane } from './control-plane.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** A namespace that the webhooks look at, in which containers `app` are given three probes. */
export const watchedNamespace = 'load';

/** What came of trying to create something. */
export interface Trial {
  readonly status: number;
  readonly body: string;
  /** As kubectl shows them. */
  readonly warnings: string;
  readonly milliseconds: number;
}

let count = 0;

/** Creates a Pod for real: that it is only tried could make a difference to somebody. It is deleted at once. */
export async function tryPod(cluster: ControlPlane, namespace: string): Promise<Trial & { pod: StoredPod }> {
  const name = `trial-${(count += 1)}`;
  const trial = await create(cluster, `/api/v1/namespaces/${namespace}/pods`, pod(name, namespace));
  if (trial.status === 201) {
    await cluster.request('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}?gracePeriodSeconds=0`);
  }
  return { ...trial, pod: JSON.parse(trial.body) as StoredPod };
}

/** Tries to create a Deployment, with a probe that asks one of its ports or one that it has not. */
export function tryDeployment(cluster: ControlPlane, namespace: string, port: 'http' | 'htpp'): Promise<Trial> {
  const path = `${deploymentsOf(namespace)}?dryRun=All`;
  const container = { readinessProbe: { httpGet: { path: '/ready', port } } };
  return create(cluster, path, deployment(`trial-${(count += 1)}`, { namespace, container, replicas: 1 }));
}

async function create(cluster: ControlPlane, path: string, object: JsonObject): Promise<Trial> {
  const began = performance.now();
  const { status, body, headers } = await cluster.request('POST', path, object);
  const milliseconds = performance.now() - began;
  return { status, body, warnings: [headers['warning'] ?? ''].flat().join('\n'), milliseconds };
}

/** What the API server says, as kubectl shows it. */
export function messageOf({ body }: Trial): string {
  return (JSON.parse(body) as { message?: string }).message ?? '';
}
