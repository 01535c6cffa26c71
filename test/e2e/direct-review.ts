import { randomUUID } from 'node:crypto';
import { request } from 'node:https';
import jsonPatch, { type Operation } from 'fast-json-patch';
import type { StoredPod } from './pods.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** Whom to ask, and whom to trust. */
export interface ReviewTarget {
  /** `https://<address>:<port>`. */
  readonly url: string;
  /** The name that its certificate must be for. */
  readonly serverName: string;
  readonly caPem: string;
}

/**
 * Asks /mutate about a Pod without the API server in between, on a connection of its own, and gives the Pod as it would
 * be stored. Rejects when the connection, the certificate or the answer is wrong.
 */
export async function mutated(target: ReviewTarget, pod: JsonObject): Promise<StoredPod> {
  const uid = randomUUID();
  const { status, body } = await post(target, JSON.stringify(review(uid, pod)));
  if (status !== 200) throw new Error(`/mutate answered ${status}: ${body.slice(0, 300)}`);
  const { response } = JSON.parse(body) as {
    response: { uid: string; allowed: boolean; patch?: string; warnings?: string[] };
  };
  if (response.uid !== uid || !response.allowed) throw new Error(`/mutate answered ${body.slice(0, 300)}`);
  if (response.patch === undefined) return pod as unknown as StoredPod;
  const operations = JSON.parse(Buffer.from(response.patch, 'base64').toString()) as Operation[];
  return jsonPatch.applyPatch(pod, operations, true, false).newDocument as unknown as StoredPod;
}

function review(uid: string, pod: JsonObject): object {
  const { name, namespace } = pod['metadata'] as { name: string; namespace: string };
  const kind = { group: '', version: 'v1', kind: 'Pod' };
  const resource = { group: '', version: 'v1', resource: 'pods' };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      ...{ uid, kind, resource, requestKind: kind, requestResource: resource, name, namespace, operation: 'CREATE' },
      userInfo: { username: 'second-client', groups: ['system:authenticated'] },
      object: pod,
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    },
  };
}

function post(target: ReviewTarget, payload: string): Promise<{ status: number; body: string }> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) };
  // No agent: each review makes a connection, so that all replicas have their turn and each handshake is a test too.
  const options = { ca: target.caPem, servername: target.serverName, agent: false, timeout: 5000 };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL('/mutate?timeout=5s', target.url),
      { method: 'POST', headers, ...options },
      (incoming) => {
        let body = '';
        incoming.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, body });
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 5 s')));
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
