import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { KubernetesSource, type KubernetesSourceOptions } from '../../../src/cluster/sources/kubernetes-source.ts';
import type { PolicySnapshot } from '../../../src/cluster/sources/policy-source.ts';
import { startFakeApiServer, type FakeApiServer, type FakeObject } from '../client/fake-api-server.ts';
import { waitUntil } from '../client/wait-until.ts';
import type { Timer } from '../../../src/cluster/client/timing.ts';

export const CLUSTER_POLICIES = '/apis/probewright.dev/v1alpha1/clusterprobepolicies';
export const NAMESPACES = '/api/v1/namespaces';
export const policiesIn = (namespace: string): string =>
  `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/probepolicies`;

/** A timer that rings when a test says so. */
export class ManualTimer {
  readonly waiting = new Set<{ readonly milliseconds: number; readonly callback: () => void }>();

  readonly set: Timer = (milliseconds, callback) => {
    const entry = { milliseconds, callback };
    this.waiting.add(entry);
    return () => void this.waiting.delete(entry);
  };

  /** Rings for all that wait now. */
  ring(): void {
    for (const entry of [...this.waiting]) {
      if (this.waiting.delete(entry)) entry.callback();
    }
  }
}

/** A cluster with a fake API server, and one or more sources that look at it. */
export class ClusterWorld {
  readonly api: FakeApiServer;
  /** What all sources take for the time. */
  time = 1_000_000;
  readonly timer = new ManualTimer();
  readonly #stops: (() => void)[] = [];

  private constructor(api: FakeApiServer) {
    this.api = api;
  }

  static async start(): Promise<ClusterWorld> {
    return new ClusterWorld(await startFakeApiServer());
  }

  client(userAgent = 'test'): ApiClient {
    return new ApiClient(this.api.access, userAgent);
  }

  surroundings(): { now: () => number; random: () => number; timer: Timer } {
    return { now: () => this.time, random: () => 0, timer: this.timer.set };
  }

  /** A source that has yet to start. */
  source(options: KubernetesSourceOptions = {}, userAgent?: string): Watched {
    const judged: string[] = [];
    const statuses: KubernetesSourceOptions['statuses'] = {
      put: (task) => {
        judged.push(task.key.split('/').at(-1) ?? '');
        options.statuses?.put(task);
      },
      drop: (place) => options.statuses?.drop(place),
    };
    const client = this.client(userAgent);
    const source = new KubernetesSource({ ...this.surroundings(), client }, { ...options, statuses });
    const watched = new Watched(source, this.timer, judged);
    this.stopLater(() => watched.source.stop());
    return watched;
  }

  async started(options: KubernetesSourceOptions = {}, userAgent?: string): Promise<Watched> {
    const watched = this.source(options, userAgent);
    await watched.start();
    return watched;
  }

  put(name: string, spec: unknown, metadata: object = {}): FakeObject {
    const { labels = {}, ...rest } = metadata as { labels?: object };
    return this.api.put(policiesIn('apps'), { metadata: { name, labels, ...rest }, spec }) as FakeObject;
  }

  putCluster(name: string, spec: unknown): void {
    this.api.put(CLUSTER_POLICIES, { metadata: { name }, spec });
  }

  putNamespace(name: string, labels: Record<string, string> = {}): void {
    this.api.put(NAMESPACES, { metadata: { name, labels: { 'kubernetes.io/metadata.name': name, ...labels } } });
  }

  /** What a policy's object says now. */
  status(name: string): Record<string, unknown> | undefined {
    return this.api.get(policiesIn('apps'), name)?.['status'] as Record<string, unknown> | undefined;
  }

  patches(): readonly FakeApiServer['requests'][number][] {
    return this.api.requests.filter(({ method }) => method === 'PATCH');
  }

  stopLater(stop: () => void): void {
    this.#stops.push(stop);
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.api.stop();
  }
}

/** A source and what it has told. */
export class Watched {
  readonly source: KubernetesSource;
  readonly judged: readonly string[];
  readonly #timer: ManualTimer;
  readonly snapshots: PolicySnapshot[] = [];
  readonly failures: string[] = [];
  readonly troubles: (string | undefined)[] = [];

  /** @param judged the names of policies, each as often as it has changed */
  constructor(source: KubernetesSource, timer: ManualTimer, judged: readonly string[]) {
    this.source = source;
    this.#timer = timer;
    this.judged = judged;
  }

  async start(): Promise<void> {
    const first = await this.source.start({
      changed: (snapshot) => this.snapshots.push(snapshot),
      failed: (problems) => this.failures.push(...problems),
      troubled: (problem) => this.troubles.push(problem),
    });
    this.snapshots.push(first);
  }

  get latest(): PolicySnapshot {
    const latest = this.snapshots.at(-1);
    if (latest === undefined) throw new Error('there is no snapshot yet');
    return latest;
  }

  /** The policies in force with their ports, by which tests tell versions from each other. */
  get inForce(): Record<string, number | string | null | undefined> {
    return Object.fromEntries(this.latest.policies.map(({ source, port }) => [source, port]));
  }

  /** Lets time pass until this is what is in force. */
  async until(what: string, ask: () => boolean): Promise<void> {
    await waitUntil(what, () => {
      this.#timer.ring();
      return ask();
    });
  }
}
