import { once } from 'node:events';
import { createServer } from 'node:https';
import { makeServingPair } from '../support/certificate.ts';
import { rule } from './webhook-configuration.ts';
import type { AddressInfo } from 'node:net';
import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** A mutating webhook that does to Pods what Istio's injector does: istio, pkg/kube/inject/app_probe.go. */
export interface IstioInjector {
  /** The configuration that has the API server call it, under a name. */
  configuration(name: string): object;
  stop(): Promise<void>;
}

const AGENT_PORT = 15020;
const ENDPOINTS = { livenessProbe: 'livez', readinessProbe: 'readyz', startupProbe: 'startupz' };

/** Starts it on loopback. Whoever starts it stops it. */
export async function startIstioInjector(): Promise<IstioInjector> {
  const { certPem, keyPem, caPem } = await makeServingPair();
  const server = createServer({ cert: certPem, key: keyPem }, (incoming, outgoing) => {
    void review(incoming).then((answer) => {
      outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/inject`;
  const clientConfig = { url, caBundle: Buffer.from(caPem).toString('base64') };
  const entry = {
    ...{ name: 'rev.namespace.sidecar-injector.istio.io', clientConfig, rules: [rule('', ['pods'], ['CREATE'])] },
    ...{ failurePolicy: 'Fail', reinvocationPolicy: 'Never', sideEffects: 'None', admissionReviewVersions: ['v1'] },
  };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  return {
    configuration: (name) => {
      return { apiVersion, kind: 'MutatingWebhookConfiguration', metadata: { name }, webhooks: [entry] };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface Review {
  readonly request: { readonly uid: string; readonly object: { readonly spec: { readonly containers: JsonObject[] } } };
}

async function review(incoming: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { uid, object } = (JSON.parse(Buffer.concat(chunks).toString()) as Review).request;
  const probers: Record<string, unknown> = {};
  const containers = object.spec.containers.map((container) => redirected(container, probers));
  const env = [{ name: 'ISTIO_KUBE_APP_PROBERS', value: JSON.stringify(probers) }];
  const value = [...containers, { name: 'istio-proxy', image: 'docker.io/istio/proxyv2:1.28.0', env }];
  const patch = Buffer.from(JSON.stringify([{ op: 'replace', path: '/spec/containers', value }])).toString('base64');
  const response = { uid, allowed: true, patchType: 'JSONPatch', patch };
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
}

/** The container with its HTTP, TCP and gRPC probes pointed at the agent, which gets them to ask in its place. */
function redirected(container: JsonObject, probers: Record<string, unknown>): JsonObject {
  const result: Record<string, unknown> = { ...container };
  for (const [kind, endpoint] of Object.entries(ENDPOINTS)) {
    const { httpGet, tcpSocket, grpc, ...timing } = (container[kind] ?? {}) as Readonly<Record<string, unknown>>;
    if ((httpGet ?? tcpSocket ?? grpc) === undefined) continue;
    const path = `/app-health/${String(container['name'])}/${endpoint}`;
    probers[path] = { httpGet, tcpSocket, grpc };
    result[kind] = { ...timing, httpGet: { path, port: AGENT_PORT, scheme: 'HTTP' } };
  }
  return result;
}
