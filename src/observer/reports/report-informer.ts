import { informer, type InformerContext } from '../informer.ts';
import { HASH_ANNOTATION, isOurs } from './report-object.ts';
import { OUR_REPORTS, reportsPath } from './report-api.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { Reflector } from '../../cluster/client/reflector.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';

/** Knows the content hashes of our reports in the cluster, by `namespace/name`. Their content is not kept. */
export class ReportInformer {
  readonly api: ReportApi;
  readonly hashes = new Map<string, string>();
  readonly #reflector: Reflector;
  #isStopped = false;

  constructor(context: InformerContext, api: ReportApi, troubled: (problem: string | undefined) => void) {
    this.api = api;
    const reports = { path: reportsPath(api), labelSelector: OUR_REPORTS, metadataOnly: true };
    let unlisted = new Set<string>();
    this.#reflector = informer(context, reports, {
      seen: (report) => {
        unlisted.delete(reportKey(report.metadata));
        this.set(reportKey(report.metadata), hashOf(report));
      },
      gone: (report) => this.set(reportKey(report.metadata), undefined),
      listing: () => {
        unlisted = new Set(this.hashes.keys());
      },
      listed: () => {
        for (const key of unlisted) this.hashes.delete(key);
        unlisted.clear();
      },
      troubled,
    });
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

export function reportKey({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Undefined for a report that is not ours. Anybody who may write reports may write any text as the hash. */
function hashOf({ metadata }: KubernetesObject): string | undefined {
  const hash: unknown = metadata.annotations?.[HASH_ANNOTATION];
  if (!isOurs(metadata)) return undefined;
  return typeof hash === 'string' ? hash.slice(0, 80) : '';
}
