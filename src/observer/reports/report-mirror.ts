import { Reflector } from '../../cluster/client/reflector.ts';
import { HASH_ANNOTATION, isOurs, MANAGED_BY_LABEL } from './report-object.ts';
import { PROBEWRIGHT } from '../../cluster/sources/observer-reports.ts';
import { reportsPath } from './report-api.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ClockAndRandom } from '../../cluster/client/clock-and-random.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Listing } from '../../cluster/client/reflector.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';

/** Selects the reports of Probewright. */
export const OUR_REPORTS = `${MANAGED_BY_LABEL}=${PROBEWRIGHT}`;

/** The content hashes of our reports in the cluster, by namespace and name. Their content is not kept. */
export class ReportMirror {
  readonly api: ReportApi;
  readonly #hashes = new Map<string, string>();
  readonly #reflector: Reflector;
  #isSynced = false;

  constructor(
    client: ApiClient,
    api: ReportApi,
    troubled: (problem: string | undefined) => void,
    clock: ClockAndRandom,
    renewalMilliseconds: number,
  ) {
    this.api = api;
    const reports = { path: reportsPath(api), labelSelector: OUR_REPORTS, metadataOnly: true };
    const listener = {
      listing: () => this.#listing(),
      applied: (object: KubernetesObject) => {
        this.#put(object);
      },
      deleted: ({ metadata }: KubernetesObject) => {
        this.note(metadata.namespace ?? '', metadata.name, undefined);
      },
      troubled,
    };
    this.#reflector = new Reflector(client, reports, listener, clock, { renewalMilliseconds });
  }

  /** Resolves once all our reports are known. */
  async start(): Promise<void> {
    await this.#reflector.start();
    this.#isSynced = this.#reflector.status().synced;
  }

  stop(): void {
    this.#reflector.stop();
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

  #put({ metadata }: KubernetesObject): void {
    const { namespace = '', name, annotations = {} } = metadata;
    const hash: unknown = annotations[HASH_ANNOTATION];
    const known = typeof hash === 'string' ? hash.slice(0, 80) : '';
    this.note(namespace, name, isOurs(metadata) ? known : undefined);
  }

  #listing(): Listing {
    const unlisted = new Set(this.#hashes.keys());
    return {
      page: (objects) => {
        for (const object of objects) {
          unlisted.delete(`${object.metadata.namespace ?? ''}/${object.metadata.name}`);
          this.#put(object);
        }
      },
      end: () => {
        for (const key of unlisted) this.#hashes.delete(key);
      },
    };
  }
}
