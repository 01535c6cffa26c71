import { once } from 'node:events';
import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { issueLeaf } from '../../src/webhook/certificates/certificate-authority.ts';
import { clientVerdict } from '../../src/webhook/certificates/client-verdict.ts';
import { oddAuthorities } from '../webhook/certificates/odd-authorities.ts';
import { type ControlPlane, controlPlaneProblem, startControlPlane, waitUntil } from './control-plane.ts';
import type { AddressInfo } from 'node:net';
import type { ServingPair } from '../../src/webhook/certificates/serving-pair.ts';

const problem = controlPlaneProblem();
if (problem !== undefined) console.warn(`client-verdict.test.ts is skipped: ${problem}`);

const host = 'localhost';
const now = Date.now();
const authorities = await oddAuthorities(host, now);
const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

/** Whether a CA is adopted depends on what the API server would accept: a real one is asked. */
describe.skipIf(problem !== undefined)('what CAs have signed is judged as the API server judges it', () => {
  let cluster: ControlPlane;

  beforeAll(async () => {
    cluster = await startControlPlane();
  });
  afterAll(async () => {
    await cluster.stop();
  });

  it.each(authorities.map((odd, index) => ({ ...odd, index })))('a CA $what', async ({ authority, index }) => {
    const pair = await issueLeaf(authority, { commonName: 'x', dns: [host] }, now, 3_600_000);
    const isAccepted = await isCalled(pair, authority.cert, `v${index}`);
    expect(clientVerdict(pair.cert, authority.cert, host, Date.now()) === undefined).toBe(isAccepted);
  });

  /** Whether the API server takes the answer of a webhook that serves this pair. */
  async function isCalled(pair: ServingPair, caBundle: string, name: string): Promise<boolean> {
    const url = await startWebhook(pair);
    const webhook = {
      name: `${name}.example.com`,
      clientConfig: { url, caBundle: Buffer.from(caBundle).toString('base64') },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      namespaceSelector: {},
      objectSelector: { matchLabels: { verdict: name } },
      failurePolicy: 'Fail',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const metadata = { name: `verdict-${name}` };
    const made = await cluster.request('POST', configurations, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata,
      webhooks: [webhook],
    });
    if (made.status !== 201) return false;
    try {
      // The webhook refuses what it is asked, so that a call that was never made is no answer.
      return await waitUntil('the webhook is asked', async () => {
        const { status, body } = await create(name);
        if (status === 201) return undefined;
        if (body.includes('the webhook was asked')) return { isAccepted: true };
        return body.includes('failed calling webhook') ? { isAccepted: false } : undefined;
      }).then(({ isAccepted }) => isAccepted);
    } finally {
      await cluster.request('DELETE', `${configurations}/${metadata.name}`);
    }
  }

  function create(name: string): Promise<{ status: number; body: string }> {
    return cluster.request('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'verdict', labels: { verdict: name } },
    });
  }
});

async function startWebhook({ cert, key }: ServingPair): Promise<string> {
  const server = createServer({ cert, key }, (request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { request: asked } = JSON.parse(text) as { request: { uid: string } };
      const answer = { uid: asked.uid, allowed: false, status: { message: 'the webhook was asked' } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://${host}:${(server.address() as AddressInfo).port}/`;
}
