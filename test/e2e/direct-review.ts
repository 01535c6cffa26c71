import { randomUUID } from 'node:crypto';
import jsonPatch, { type Operation } from 'fast-json-patch';
import { reviewOf } from '../support/worlds.ts';
import { send } from './http-requests.ts';
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
  const payload = JSON.stringify(reviewOf(pod, { uid, userInfo: { username: 'second-client' } }));
  const headers = { 'content-type': 'application/json' };
  // No agent: each review makes a connection, so that all replicas have their turn and each handshake is a test too.
  const trust = { ca: target.caPem, servername: target.serverName, agent: false };
  const options = { method: 'POST', headers, ...trust, timeout: 5000 };
  const { status, body } = await send(`${target.url}/mutate?timeout=5s`, options, payload);
  if (status !== 200) throw new Error(`/mutate answered ${status}: ${body.slice(0, 300)}`);
  const { response } = JSON.parse(body) as {
    response: { uid: string; allowed: boolean; patch?: string; warnings?: string[] };
  };
  if (response.uid !== uid || !response.allowed) throw new Error(`/mutate answered ${body.slice(0, 300)}`);
  if (response.patch === undefined) return pod as unknown as StoredPod;
  const operations = JSON.parse(Buffer.from(response.patch, 'base64').toString()) as Operation[];
  return jsonPatch.applyPatch(pod, operations, true, false).newDocument as unknown as StoredPod;
}
