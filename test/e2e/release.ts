import { X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.ts';
import { waitUntil } from './processes.ts';
import { type Replica, spawnReplica } from './replica.ts';
import { ServiceForwarder } from './service-forwarder.ts';
import {
  type ReleaseOptions,
  createObjects,
  requestToken,
  serviceAccountName,
  servicePort,
} from './release-objects.ts';
import { type WrittenRules, readWrittenRules } from './written-rbac.ts';

/** How to start a replica. */
export interface ReplicaStart {
  /** Arguments for `serve` besides those that every replica of the release has. */
  readonly args?: readonly string[];
}

/** The CA's Secret, its values decoded. */
export interface CaSecret {
  readonly uid: string;
  readonly resourceVersion: string;
  /** By key: ca.crt, next.crt, previous.crt and the keys. */
  readonly data: Readonly<Record<string, string>>;
}

/** A Mutating- or ValidatingWebhookConfiguration; only what the tests look at. */
export interface WebhookConfiguration {
  readonly metadata: { readonly generation: number; readonly resourceVersion: string };
  readonly webhooks: readonly {
    readonly name: string;
    readonly clientConfig: { readonly caBundle?: string };
    readonly namespaceSelector?: object;
  }[];
}

export const configurationKinds = ['mutating', 'validating'] as const;
export type ConfigurationKind = (typeof configurationKinds)[number];

/** Probewright in a cluster: what a chart would create, and replicas as processes here instead of Pods. */
export class Release {
  readonly namespace: string;
  readonly name: string;
  readonly rules: WrittenRules;
  /** `https://<ClusterIP>:<port>` of the Service. */
  readonly url: string;
  /** The name that the API server verifies. */
  readonly serverName: string;
  readonly #cluster: ControlPlane;
  readonly #program: string;
  readonly #directory: string;
  readonly #token: string;
  readonly #forwarder: ServiceForwarder;
  readonly #args: readonly string[];
  #replicas: Replica[] = [];
  #started = 0;

  /** Creates everything but the replicas. Whoever installs it stops it. */
  static async install(
    cluster: ControlPlane,
    program: string,
    directory: string,
    options: ReleaseOptions,
  ): Promise<Release> {
    const { namespace, name, tlsSecret } = options;
    const caSecret = `${name}-ca`;
    const rules = await readWrittenRules({ name, caSecret, ...(tlsSecret !== undefined && { tlsSecret }) });
    const forwarder = await ServiceForwarder.start(cluster.serviceClusterCidr.replace('0.0/16', ''), servicePort);
    try {
      await createObjects(cluster, options, rules, forwarder.address);
      const token = await requestToken(cluster, namespace);
      const own = join(directory, namespace);
      await mkdir(own, { recursive: true });
      return new Release(cluster, { program, directory: own, token, forwarder, rules, options });
    } catch (error) {
      await forwarder.stop();
      throw error;
    }
  }

  private constructor(
    cluster: ControlPlane,
    parts: {
      readonly program: string;
      readonly directory: string;
      readonly token: string;
      readonly forwarder: ServiceForwarder;
      readonly rules: WrittenRules;
      readonly options: ReleaseOptions;
    },
  ) {
    const { name, namespace } = parts.options;
    this.#cluster = cluster;
    this.name = name;
    this.namespace = namespace;
    this.rules = parts.rules;
    this.url = `https://${parts.forwarder.address}:${servicePort}`;
    this.serverName = `${name}.${namespace}.svc`;
    this.#program = parts.program;
    this.#directory = parts.directory;
    this.#token = parts.token;
    this.#forwarder = parts.forwarder;
    // The namespace is the kubeconfig's, which is what a Pod has.
    this.#args =
      name === 'probewright'
        ? []
        : [
            ...['--service-name', name, '--webhook-configurations', `00-${name},${name}`],
            ...['--lease', name, '--ca-secret', `${name}-ca`],
          ];
  }

  /** Those that run. */
  get replicas(): readonly Replica[] {
    return this.#replicas;
  }

  get serviceAccount(): string {
    return `system:serviceaccount:${this.namespace}:${serviceAccountName}`;
  }

  /** Starts a replica, which gets connections from the moment when it is ready. */
  async spawn(start: ReplicaStart = {}): Promise<Replica> {
    this.#started += 1;
    const replica = await spawnReplica({
      name: `${this.name}-${this.#started}`,
      program: this.#program,
      directory: this.#directory,
      namespace: this.namespace,
      server: this.#cluster.server,
      caPem: this.#cluster.access.caPem,
      token: this.#token,
      args: [...this.#args, ...(start.args ?? [])],
    });
    this.#replicas.push(replica);
    this.#forwarder.add(replica);
    return replica;
  }

  /** Starts that many replicas and waits until the Service sends to all of them. */
  async start(count: number, start: ReplicaStart = {}): Promise<Replica[]> {
    const replicas = await Promise.all(Array.from({ length: count }, () => this.spawn(start)));
    for (const replica of replicas) await this.untilServing(replica);
    return replicas;
  }

  /** Waits until the Service sends to the replica. */
  async untilServing(replica: Replica): Promise<void> {
    await replica.untilReady();
    await waitUntil(`the Service sends to ${replica.name}`, () => this.#forwarder.sendsTo(replica), 5_000, 20);
  }

  /** Ends a replica as its Pod's end would, and gives its exit code. Connections go to it until it says that it is not ready. */
  async end(replica: Replica, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const code = await replica.stop(signal);
    await waitUntil(`the Service has noticed the end of ${replica.name}`, () => !this.#forwarder.sendsTo(replica));
    this.#forwarder.remove(replica);
    this.#replicas = this.#replicas.filter((other) => other !== replica);
    return code;
  }

  /** Ends all replicas at once, without a word. */
  async endAll(): Promise<void> {
    await Promise.all(this.#replicas.map((replica) => this.end(replica, 'SIGKILL')));
  }

  /**
   * Starts two replicas, whatever ran before, and waits until one leads and the API server can trust them. The Lease goes,
   * or a leader that was killed would be waited for.
   */
  async restart(start: ReplicaStart = {}): Promise<void> {
    await this.endAll();
    await this.#cluster.request('DELETE', this.leasePath);
    await this.start(2, start);
    await this.leader();
    await waitUntil(`the API server trusts ${this.name}`, () => this.isSynced());
  }

  /** The replica that leads, waiting until there is one. */
  async leader(timeout = 30_000): Promise<Replica> {
    return waitUntil(
      `${this.name} has a leader`,
      async () => {
        for (const replica of this.#replicas) if (await replica.isLeader()) return replica;
        return undefined;
      },
      timeout,
    );
  }

  get secretPath(): string {
    return `/api/v1/namespaces/${this.namespace}/secrets/${this.name}-ca`;
  }

  get leasePath(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases/${this.name}`;
  }

  configurationPath(kind: ConfigurationKind): string {
    return `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/${kind === 'mutating' ? '00-' : ''}${this.name}`;
  }

  /** The CA's Secret; undefined when there is none. */
  async caSecret(): Promise<CaSecret | undefined> {
    const { status, body } = await this.#cluster.request('GET', this.secretPath);
    if (status !== 200) return undefined;
    const { metadata, data = {} } = JSON.parse(body) as {
      metadata: { uid: string; resourceVersion: string };
      data?: Record<string, string>;
    };
    const decoded = Object.entries(data).map(([key, value]) => [key, decode(value)] as const);
    return { uid: metadata.uid, resourceVersion: metadata.resourceVersion, data: Object.fromEntries(decoded) };
  }

  configuration(kind: ConfigurationKind): Promise<WebhookConfiguration> {
    return this.#cluster.read(this.configurationPath(kind));
  }

  /** Changes the configuration by a JSON patch, as somebody else would. */
  async patchConfiguration(kind: ConfigurationKind, operations: readonly object[]): Promise<void> {
    const headers = { 'content-type': 'application/json-patch+json' };
    const path = this.configurationPath(kind);
    const { status, body } = await this.#cluster.request('PATCH', path, JSON.stringify(operations), headers);
    if (status !== 200) throw new Error(`PATCH ${path}: ${status} ${body}`);
  }

  /** The certificates of each entry's caBundle, both configurations', by entry name. */
  async bundles(): Promise<Map<string, X509Certificate[]>> {
    const bundles = new Map<string, X509Certificate[]>();
    for (const kind of configurationKinds) {
      const { webhooks } = await this.configuration(kind);
      for (const { name, clientConfig } of webhooks)
        bundles.set(name, certificates(decode(clientConfig.caBundle ?? '')));
    }
    return bundles;
  }

  /** Whether every entry's caBundle trusts the Secret's CA. */
  async isSynced(): Promise<boolean> {
    const ca = (await this.caSecret())?.data['ca.crt'];
    if (ca === undefined) return false;
    const { fingerprint256 } = new X509Certificate(ca);
    return [...(await this.bundles()).values()].every((bundle) =>
      bundle.some((certificate) => certificate.fingerprint256 === fingerprint256),
    );
  }

  async stop(): Promise<void> {
    await this.endAll();
    await this.#forwarder.stop();
  }
}

/** The certificates in a text of PEM blocks. */
export function certificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString();
}
