import { setTimeout as sleep } from 'node:timers/promises';
import { type PodObject, isReady, portNumber } from './chart-pod-object.ts';
import { type Target, TcpForwarder } from './tcp-forwarder.ts';
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
  /** What it passes connections with. */
  readonly forwarder = new TcpForwarder(() => this.#target());
  readonly #cluster: ControlPlane;
  readonly #namespace: string;
  readonly #name: string;
  #service: ServiceObject | undefined;
  /** Where it listens. */
  #address: string | undefined;
  #endpoints: PodObject[] = [];
  #next = 0;
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

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#looking;
    await this.forwarder.stop();
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
    this.forwarder.close();
    // The port that the API server calls; nobody here reads metrics through the Service.
    if (address !== undefined) await this.forwarder.listen(service?.spec.ports[0]?.port ?? 0, address);
    this.#address = address;
  }

  #target(): Target | undefined {
    const pod = this.#endpoints[this.#next++ % Math.max(this.#endpoints.length, 1)];
    const host = pod?.status?.podIP;
    if (pod === undefined || host === undefined) return undefined;
    return { host, port: portNumber(pod.spec.containers[0], this.#service?.spec.ports[0]?.targetPort ?? 0) };
  }
}
