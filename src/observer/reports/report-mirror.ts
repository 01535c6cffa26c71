import { MirroredKind } from '../../cluster/client/mirrored-kind.ts';
import { HASH_ANNOTATION, isOurs, MANAGED_BY_LABEL } from './report-object.ts';
import { PROBEWRIGHT } from '../../cluster/sources/observer-reports.ts';
import { reportsPath } from './report-api.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ClockAndRandom } from '../../cluster/client/clock-and-random.ts';
import type { ObjectName, ProjectionStore } from '../../cluster/client/projection.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';

/** Selects the reports of Probewright. */
export const OUR_REPORTS = `${MANAGED_BY_LABEL}=${PROBEWRIGHT}`;

/** The content hashes of our reports in the cluster, by namespace and name. Their content is not kept. */
export class ReportMirror implements ProjectionStore<string> {
  readonly api: ReportApi;
  readonly #hashes = new Map<string, string>();
  readonly #kind: MirroredKind<string>;
  #unlisted = new Set<string>();
  #isSynced = false;

  constructor(
    client: ApiClient,
    api: ReportApi,
    troubled: (problem: string | undefined) => void,
    clock: ClockAndRandom,
    renewalMilliseconds: number,
  ) {
    this.api = api;
    const kind = {
      path: reportsPath(api),
      labelSelector: OUR_REPORTS,
      metadataOnly: true,
      project: ({ metadata }: { readonly metadata: Parameters<typeof isOurs>[0] & { annotations?: unknown } }) => {
        const annotations = (metadata.annotations ?? {}) as Readonly<Record<string, unknown>>;
        const hash = annotations[HASH_ANNOTATION];
        return isOurs(metadata) ? (typeof hash === 'string' ? hash.slice(0, 80) : '') : undefined;
      },
    };
    const listener = { updated: () => undefined, troubled };
    this.#kind = new MirroredKind(client, kind, this, listener, clock, { renewalMilliseconds });
  }

  /** Resolves once all our reports are known. */
  async start(): Promise<void> {
    await this.#kind.start();
    this.#isSynced = this.#kind.status().synced;
  }

  stop(): void {
    this.#kind.stop();
    this.#isSynced = false;
  }

  get isSynced(): boolean {
    return this.#isSynced;
  }

  get size(): number {
    return this.#hashes.size;
  }

  hashOf(namespace: string, name: string): string | undefined {
    return this.#hashes.get(`${namespace}/${name}`);
  }

  /** After a write: the watch tells of it only later. */
  note(namespace: string, name: string, hash: string | undefined): void {
    const key = `${namespace}/${name}`;
    if (hash === undefined) this.#hashes.delete(key);
    else this.#hashes.set(key, hash);
  }

  /** Calls back with each report. */
  forEach(call: (namespace: string, name: string) => void): void {
    for (const key of [...this.#hashes.keys()]) {
      const slash = key.indexOf('/');
      call(key.slice(0, slash), key.slice(slash + 1));
    }
  }

  find({ namespace = '', name }: ObjectName): string | undefined {
    return this.hashOf(namespace, name);
  }

  put({ namespace = '', name }: ObjectName, hash: string): void {
    this.#unlisted.delete(`${namespace}/${name}`);
    this.note(namespace, name, hash);
  }

  delete({ namespace = '', name }: ObjectName): void {
    this.note(namespace, name, undefined);
  }

  settle(): void {
    // Each change counts at once.
  }

  startList(): void {
    this.#unlisted = new Set(this.#hashes.keys());
  }

  endList(): void {
    for (const key of this.#unlisted) this.#hashes.delete(key);
    this.#unlisted = new Set();
  }
}
