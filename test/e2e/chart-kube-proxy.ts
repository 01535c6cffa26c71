import { type Server, type Socket, createConnection, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type PodObject, isReady, portNumber } from './chart-pod-object.ts';
import { connectBoth } from './service-forwarder.ts';
import type { ControlPlane } from './control-plane.ts';

const lookMilliseconds = 200;

interface ServiceObject {
  readonly spec: {
    readonly clusterIP: string;
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly { readonly port: number; readonly targetPort: string | number }[];
  };
}

/**
 * Plays kube-proxy and the endpoints controller for one Service: listens on its ClusterIP as long as there is one, and passes connections to the
 * Pods that it selects, as long as they are ready and not told to go.
 */
export class KubeProxy {
  /** What went wrong, which no scenario should have. */
  readonly problems: string[] = [];
  readonly #cluster: ControlPlane;
  readonly #namespace: string;
  readonly #name: string;
  readonly #sockets = new Set<Socket>();
  readonly #held = new Set<Socket>();
  #service: ServiceObject | undefined;
  #server: Server | undefined;
  /** Where the server listens. */
  #address: string | undefined;
  #endpoints: PodObject[] = [];
  #next = 0;
  #swallows = false;
  #stopped = false;
  #looking: Promise<void>;

  constructor(cluster: ControlPlane, namespace: string, name: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#name = name;
    this.#looking = this.#lookAgainAndAgain();
  }

  /** How many Pods would get a connection now. */
  get endpoints(): number {
    return this.#endpoints.length;
  }

  /** From now on what is sent there goes nowhere, on connections old and new, until `mend`. */
  swallow(): void {
    this.#swallows = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** Connections that had something swallowed are gone for good. */
  mend(): void {
    this.#swallows = false;
    for (const socket of [...this.#sockets, ...this.#held]) socket.destroy();
    this.#held.clear();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
    await this.#close();
  }

  async #lookAgainAndAgain(): Promise<void> {
    while (!this.#stopped) {
      await this.#look().catch((error: unknown) => void this.problems.push(String(error)));
      await sleep(lookMilliseconds);
    }
  }

  async #look(): Promise<void> {
    const base = `/api/v1/namespaces/${this.#namespace}`;
    const { status, body } = await this.#cluster.request('GET', `${base}/services/${this.#name}`);
    const service = status === 200 ? (JSON.parse(body) as ServiceObject) : undefined;
    this.#service = service;
    const selector = Object.entries(service?.spec.selector ?? {}).map(([key, value]) => `${key}=${value}`);
    const path = `${base}/pods?labelSelector=${encodeURIComponent(selector.join(','))}`;
    const { items } = JSON.parse((await this.#cluster.request('GET', path)).body) as { items: PodObject[] };
    this.#endpoints = items.filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
    // A Service without endpoints refuses connections; those that there are stay with the Pods that they go to.
    const address = this.#endpoints.length > 0 ? service?.spec.clusterIP : undefined;
    if (address === this.#address) return;
    this.#server?.close();
    this.#server = service && address !== undefined ? await this.#listen(service) : undefined;
    this.#address = address;
  }

  async #listen({ spec }: ServiceObject): Promise<Server> {
    const server = createServer((client) => this.#forward(client));
    // The port that the API server calls; nobody here reads metrics through the Service.
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(spec.ports[0]?.port, spec.clusterIP, resolve);
    });
    return server;
  }

  #forward(client: Socket): void {
    if (this.#swallows) {
      this.#held.add(client);
      client.on('error', () => undefined);
      client.once('close', () => this.#held.delete(client));
      client.pause();
      return;
    }
    const pod = this.#endpoints[this.#next++ % Math.max(this.#endpoints.length, 1)];
    const address = pod?.status?.podIP;
    if (pod === undefined || address === undefined) {
      client.resetAndDestroy();
      return;
    }
    const port = portNumber(pod.spec.containers[0], this.#service?.spec.ports[0]?.targetPort ?? 0);
    connectBoth(client, createConnection(port, address), this.#sockets);
  }

  async #close(): Promise<void> {
    for (const socket of [...this.#sockets, ...this.#held]) socket.destroy();
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise((done) => server.close(done));
  }
}
