import https from 'node:https';
import { expect } from 'vitest';
import { createLogger } from '../../src/process/log.ts';
import { startServer } from '../../src/webhook/serve.ts';
import { makeServingPair } from '../support/certificate.ts';
import { parseServe } from '../cli/parse-serve.ts';
import { exceptionDocument } from '../support/exceptions.ts';
import { clusterPolicyDocument, reviewOf } from '../support/worlds.ts';
import { NAMESPACE, StrictCluster } from './strict-cluster.ts';
import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Manifest } from './helm.ts';

/** Rights that are granted and not used, and requests that were refused. */
export interface UsedRights {
  readonly unused: readonly string[];
  readonly refused: readonly string[];
}

const UNREADABLE = { probes: { livenessProbe: 1 } };
const POLICIES = '/apis/probewright.dev/v1alpha1';
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;

/** Runs `probewright serve` as the chart does, makes it do all that it can do, and returns the rights without use. */
export async function servedRights(manifests: readonly Manifest[], set: readonly string[]): Promise<UsedRights> {
  const cluster = await StrictCluster.start(manifests, 'probewright');
  const { api } = cluster;
  const parsed = parseServe(cluster.args, {});
  if (!('config' in parsed)) throw new Error(JSON.stringify(parsed.problems));
  const { config } = parsed;
  if (config.cluster === undefined) throw new Error('the chart names no cluster');
  await putObjects(cluster, manifests);
  if (set.some((value) => value.startsWith('workloadKinds')))
    api.serve([
      { apiVersion: 'v1', kind: 'Pod', resource: 'pods' },
      { apiVersion: 'example.com/v1', kind: 'Fleet', resource: 'fleets' },
    ]);
  cluster.authorize();
  const server = await startServer(
    { ...config, host: '127.0.0.1', port: 0, healthPort: 0, cluster: { ...config.cluster, certificateCheck: 100 } },
    {
      log: createLogger('silent', { write: () => undefined }),
      notice: () => undefined,
      now: () => Date.now(),
      monotonic: () => performance.now(),
    },
  );
  try {
    await server.started;
    const port = await server.port;
    // Whatever the values are, policies are read. Their effect is computed from lists of workloads.
    const readable = { containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/' } };
    expect([await isAllowed(port, readable), await isAllowed(port, UNREADABLE)]).toEqual([true, false]);
    const ca = api.get(SECRETS, 'probewright-ca');
    // A rotation writes the Secret.
    if (ca !== undefined)
      api.put(SECRETS, {
        ...ca,
        metadata: { ...ca.metadata, annotations: { ...ca.metadata.annotations, 'probewright.dev/rotate': '' } },
      });
    await cluster.allUsed();
    return { unused: cluster.unused, refused: cluster.refused };
  } finally {
    await server.stop(0);
    await cluster.stop();
  }
}

async function putObjects({ api }: StrictCluster, manifests: readonly Manifest[]): Promise<void> {
  // Policies that cannot be read get a status, and so do exceptions.
  api.put(`${POLICIES}/namespaces/apps/probepolicies`, { metadata: { name: 'bad' }, spec: UNREADABLE });
  api.put(`${POLICIES}/clusterprobepolicies`, { metadata: { name: 'bad' }, spec: UNREADABLE });
  api.put(`${POLICIES}/namespaces/apps/probeexceptions`, exceptionDocument());
  const { certPem, keyPem, caPem } = await makeServingPair({ dnsNames: [`probewright.${NAMESPACE}.svc`] });
  const data = Object.fromEntries(
    Object.entries({ 'tls.crt': certPem, 'tls.key': keyPem, 'ca.crt': caPem }).map(([key, text]) => [
      key,
      Buffer.from(text).toString('base64'),
    ]),
  );
  api.put(SECRETS, { metadata: { name: 'pair' }, type: 'kubernetes.io/tls', data });
  for (const kind of ['Mutating', 'Validating'])
    for (const manifest of manifests.filter((each) => each.kind === `${kind}WebhookConfiguration`))
      api.put(`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, manifest);
}

/** Reviews a policy in a dry run, as the API server does for `kubectl apply --dry-run=server`. */
async function isAllowed(port: number, spec: JsonObject): Promise<boolean> {
  const body = JSON.stringify(reviewOf(clusterPolicyDocument(spec), { namespace: '', dryRun: true }));
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const path = '/review-policies?timeout=10s';
  const options = { host: '127.0.0.1', port, method: 'POST', path, headers, rejectUnauthorized: false, agent: false };
  const text = await new Promise<string>((resolve, reject) => {
    const read = (response: IncomingMessage): void => {
      let all = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (all += chunk));
      response.on('end', () => {
        resolve(all);
      });
    };
    https.request(options, read).on('error', reject).end(body);
  });
  return (JSON.parse(text) as { response: { allowed: boolean } }).response.allowed;
}
