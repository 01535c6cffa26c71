import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { isJsonObject } from '../../src/base/json/json-value.ts';
import { type ControlPlane, kubeconfigText } from './control-plane.ts';
import type { AddressInfo } from 'node:net';
import type { Manifest } from '../chart/helm.ts';

/** What helm is shown of a server that is older than the chart's kubeVersion. */
export interface NewerFace {
  /** Path of a kubeconfig for it. */
  readonly kubeconfig: string;
  /** What it took out of what helm sent. */
  readonly omissions: ReadonlySet<string>;
  stop(): Promise<void>;
}

/**
 * A face for a server that is older than the chart asks for: helm refuses to talk to such a one. It says the version that helm wants to hear, and takes
 * out of objects what the server does not know, as `forServer` does; everything else is the server's own. So helm itself can be tried there.
 */
export async function newerFace(cluster: ControlPlane, minor: number, kubeconfig: string): Promise<NewerFace> {
  const omissions = new Set<string>();
  const agent = new Agent({ ca: cluster.access.caPem, keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      outgoing.writeHead(502).end(String(error));
    });
  });
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const sent = await readAll(incoming);
    const body = sent.length === 0 ? sent : await adapted(cluster, incoming.method ?? '', sent, omissions);
    const headers = { ...incoming.headers, authorization: `Bearer ${cluster.access.token}` };
    for (const name of ['host', 'transfer-encoding', 'content-length']) Reflect.deleteProperty(headers, name);
    // A DELETE with a body, too, which Node would send without.
    if (sent.length > 0) headers['content-length'] = String(Buffer.byteLength(body));
    const url = new URL(incoming.url ?? '/', cluster.server);
    const asked = httpsRequest(url, { method: incoming.method, agent, headers }, (reply) => {
      if (url.pathname === '/version') return void answerVersion(reply, outgoing, minor);
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    asked.on('error', () => outgoing.destroy());
    outgoing.on('close', () => asked.destroy());
    asked.end(body);
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await writeFile(kubeconfig, kubeconfigText({ server: `http://127.0.0.1:${port}` }));
  return {
    kubeconfig,
    omissions,
    stop: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function adapted(
  cluster: ControlPlane,
  method: string,
  sent: Buffer,
  omissions: Set<string>,
): Promise<Buffer | string> {
  if (!['POST', 'PUT', 'PATCH'].includes(method)) return sent;
  let object: unknown;
  try {
    object = JSON.parse(sent.toString());
  } catch {
    return sent;
  }
  if (!isJsonObject(object) || !('kind' in object) || object['kind'] === 'Secret') return sent;
  const { manifests, omissions: found } = await forServer(cluster, [object as unknown as Manifest]);
  for (const omission of found) omissions.add(omission);
  return JSON.stringify(manifests[0] ?? object);
}

async function answerVersion(reply: IncomingMessage, outgoing: ServerResponse, minor: number): Promise<void> {
  const version = JSON.parse((await readAll(reply)).toString()) as Record<string, string>;
  const said = { ...version, major: '1', minor: String(minor), gitVersion: `v1.${minor}.0` };
  outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Fields that the chart renders and that older servers do not know, with the minor version of Kubernetes 1 that has them on by default. A name
 * is enough: none of them means something else elsewhere.
 */
const FIELDS: Readonly<Record<string, number>> = {
  'x-kubernetes-validations': 25,
  matchLabelKeys: 27,
  unhealthyPodEvictionPolicy: 27,
  matchConditions: 28,
  sleep: 30,
};

/** What was taken out of manifests for a server, and why. */
export interface Adapted {
  readonly manifests: readonly Manifest[];
  /** Sentences for people. */
  readonly omissions: readonly string[];
}

/** The manifests as the server can take them: without kinds that it does not serve, and without fields that are newer than it is. */
export async function forServer(controlPlane: ControlPlane, manifests: readonly Manifest[]): Promise<Adapted> {
  const newer = Object.keys(FIELDS).filter((field) => (FIELDS[field] ?? 0) > controlPlane.minor);
  const omissions = new Set<string>();
  const kept: Manifest[] = [];
  for (const manifest of manifests) {
    if (await isServed(controlPlane, manifest)) kept.push(without(manifest, newer, omissions) as Manifest);
    else omissions.add(`${manifest.kind} of ${manifest.apiVersion}: ${controlPlane.version} does not serve it`);
  }
  return { manifests: kept, omissions: [...omissions].sort() };
}

async function isServed(controlPlane: ControlPlane, { apiVersion, kind }: Manifest): Promise<boolean> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { status, body } = await controlPlane.request('GET', path);
  if (status !== 200) return false;
  return (JSON.parse(body) as { resources: { kind: string }[] }).resources.some((resource) => resource.kind === kind);
}

/** The value without the fields, and without what holds nothing else: a `preStop` without its `sleep` would be refused. */
function without(value: unknown, fields: readonly string[], omissions: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((element) => without(element, fields, omissions));
  if (!isJsonObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const [key, member] of Object.entries(value)) {
    if (fields.includes(key)) {
      omissions.add(`${key}: known from 1.${String(FIELDS[key])} on`);
      continue;
    }
    const rest = without(member, fields, omissions);
    const isEmptied =
      isJsonObject(rest) && Object.keys(rest).length === 0 && isJsonObject(member) && Object.keys(member).length > 0;
    if (!isEmptied) members.push([key, rest]);
  }
  return Object.fromEntries(members);
}
