import { randomInt } from 'node:crypto';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeServingPair } from '../support/certificate.ts';
import { MERGE } from './http-requests.ts';
import { NodePod, type PodSurroundings } from './chart-pod.ts';
import type { PodObject } from './chart-pod-object.ts';

const lookMilliseconds = 200;

/** How a Pod that the API server asked to go went. */
export interface EndedPod {
  readonly name: string;
  /** Null after a signal. */
  readonly code: number | null;
  readonly restarts: number;
  readonly output: string;
}

/**
 * Plays scheduler and kubelet of one node, for the Pods of one namespace: starts their containers, probes them, moves their statuses along, ends
 * them, and serves their logs to the API server.
 */
export class Kubelet {
  readonly node = 'node-1';
  /** Pods that have gone, oldest first. */
  readonly ended: EndedPod[] = [];
  /** What went wrong while playing kubelet, which no scenario should have. */
  readonly problems: string[] = [];
  readonly #surroundings: PodSurroundings;
  readonly #namespace: string;
  readonly #pods = new Map<string, NodePod>();
  readonly #leaving = new Set<string>();
  readonly #logs: Server;
  readonly #addressPrefix: string;
  #addresses = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  /** Registers the node and begins. Whoever starts it stops it. */
  static async start(surroundings: PodSurroundings, namespace: string): Promise<Kubelet> {
    const { certPem, keyPem } = await makeServingPair({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] });
    const logs = createServer({ cert: certPem, key: keyPem });
    await new Promise<void>((done) => logs.listen(0, '127.0.0.1', done));
    const kubelet = new Kubelet(surroundings, namespace, logs);
    logs.on('request', (request, response) => {
      const [, kind, , name] = (request.url ?? '').split(/[/?]/);
      const pod = [...kubelet.#pods.values()].find(({ object }) => object.metadata.name === name);
      response.writeHead(kind === 'containerLogs' && pod !== undefined ? 200 : 404);
      response.end(pod?.output() ?? '');
    });
    await kubelet.#register((logs.address() as AddressInfo).port);
    kubelet.#look();
    return kubelet;
  }

  private constructor(surroundings: PodSurroundings, namespace: string, logs: Server) {
    this.#surroundings = surroundings;
    this.#namespace = namespace;
    this.#logs = logs;
    this.#addressPrefix = `127.101.${randomInt(1, 255)}.`;
  }

  /** The Pods on the node. */
  get pods(): readonly NodePod[] {
    return [...this.#pods.values()];
  }

  /** Those among them that answer the API server's calls. */
  get webhookPods(): readonly NodePod[] {
    return this.pods.filter(({ object }) => object.metadata.labels?.['app.kubernetes.io/component'] === 'webhook');
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#looking;
    clearTimeout(this.#timer);
    await Promise.all(this.pods.map((pod) => pod.kill()));
    this.#logs.closeAllConnections();
    await new Promise((done) => this.#logs.close(done));
  }

  async #register(port: number): Promise<void> {
    const { cluster } = this.#surroundings;
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: this.node } };
    await cluster.create('/api/v1/nodes', node);
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    await cluster.request('PATCH', `/api/v1/nodes/${this.node}/status`, { status }, MERGE);
  }

  #look(): void {
    this.#looking = this.#lookOnce()
      .catch((error: unknown) => void this.problems.push(String(error)))
      .then(() => {
        this.#timer = setTimeout(() => this.#look(), lookMilliseconds);
      });
  }

  async #lookOnce(): Promise<void> {
    const objects = await this.list();
    for (const object of objects) {
      const { uid, deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined) this.#letGo(object);
      else if (!this.#pods.has(uid)) await this.#take(object);
    }
    const there = new Set(objects.map(({ metadata }) => metadata.uid));
    for (const [uid, pod] of this.#pods) {
      if (there.has(uid) || this.#leaving.has(uid)) continue;
      // Deleted with no grace: then a kubelet gives none either.
      this.#pods.delete(uid);
      await pod.kill();
    }
  }

  /** The namespace's Pods as the API server has them. */
  async list(): Promise<PodObject[]> {
    return (await this.#surroundings.cluster.read<{ items: PodObject[] }>(this.#path())).items;
  }

  async #take(object: PodObject): Promise<void> {
    // Somebody else's, which is only there to be created.
    if (object.metadata.labels?.['app.kubernetes.io/name'] !== 'probewright') return;
    const { name, uid } = object.metadata;
    const target = { apiVersion: 'v1', kind: 'Node', name: this.node };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    const bound = await this.#surroundings.cluster.request('POST', `${this.#path(name)}/binding`, binding);
    if (bound.status !== 201 && object.spec.nodeName === undefined) throw new Error(`${name}: ${bound.body}`);
    this.#addresses += 1;
    const pod = new NodePod(object, `${this.#addressPrefix}${this.#addresses}`, this.#surroundings);
    this.#pods.set(uid, pod);
    pod.start();
    void pod.outcome().catch((error: unknown) => this.problems.push(`${name}: ${String(error)}`));
  }

  #letGo(object: PodObject): void {
    const { name, uid } = object.metadata;
    if (this.#leaving.has(uid)) return;
    this.#leaving.add(uid);
    const pod = this.#pods.get(uid);
    void (async () => {
      const code = (await pod?.terminate()) ?? null;
      if (pod) this.ended.push({ name, code, restarts: pod.restarts, output: pod.output() });
      const path = `${this.#path(name)}?gracePeriodSeconds=0`;
      const { status, body } = await this.#surroundings.cluster.request('DELETE', path);
      if (status !== 200 && status !== 404) this.problems.push(`DELETE ${name}: ${body}`);
      this.#pods.delete(uid);
    })().catch((error: unknown) => this.problems.push(`${name}: ${String(error)}`));
  }

  #path(name?: string): string {
    return `/api/v1/namespaces/${this.#namespace}/pods${name === undefined ? '' : `/${name}`}`;
  }
}
