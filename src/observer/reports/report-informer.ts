import { Reflector } from '../../cluster/client/reflector.ts';
import { HASH_ANNOTATION, isOurs } from './report-object.ts';
import { OUR_REPORTS, reportsPath } from './report-api.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ClockAndRandom } from '../../cluster/client/clock-and-random.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';

/** Knows the content hashes of our reports in the cluster, by `namespace/name`. Their content is not kept. */
export class ReportInformer {
  readonly api: ReportApi;
  readonly hashes = new Map<string, string>();
  readonly #reflector: Reflector;
  #isStopped = false;

  constructor(
    client: ApiClient,
    api: ReportApi,
    troubled: (problem: string | undefined) => void,
    clock: ClockAndRandom,
    renewalMilliseconds: number,
  ) {
    this.api = api;
    const reports = { path: reportsPath(api), labelSelector: OUR_REPORTS, metadataOnly: true };
    const applied = (report: KubernetesObject): void => this.set(reportKey(report.metadata), hashOf(report));
    const events = {
      listing: () => {
        const unlisted = new Set(this.hashes.keys());
        return {
          page: (page: readonly KubernetesObject[]) => {
            for (const report of page) {
              unlisted.delete(reportKey(report.metadata));
              applied(report);
            }
          },
          end: () => {
            for (const key of unlisted) this.hashes.delete(key);
          },
        };
      },
      applied,
      deleted: (report: KubernetesObject) => this.set(reportKey(report.metadata), undefined),
      troubled,
    };
    this.#reflector = new Reflector(client, reports, events, clock, { renewalMilliseconds });
  }

  /** Resolves once all our reports are known; also on stop. */
  start(): Promise<void> {
    return this.#reflector.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#reflector.stop();
  }

  get isSynced(): boolean {
    return !this.#isStopped && this.#reflector.status().synced;
  }

  /** To be called after a write, too: the watch tells of it only later. Undefined = there is no report. */
  set(key: string, hash: string | undefined): void {
    if (hash === undefined) this.hashes.delete(key);
    else this.hashes.set(key, hash);
  }
}

/** The report as one text, for maps. */
export function reportKey({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Undefined for a report that is not ours. Anybody who may write reports may write any text as the hash. */
function hashOf({ metadata }: KubernetesObject): string | undefined {
  const hash: unknown = metadata.annotations?.[HASH_ANNOTATION];
  if (!isOurs(metadata)) return undefined;
  return typeof hash === 'string' ? hash.slice(0, 80) : '';
}
