import { isJsonObject } from '../../base/json/json-value.ts';
import { isKubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { METADATA_LIST, PagedList } from '../../cluster/client/paged-list.ts';
import { PROBEWRIGHT, REPORT_APIS } from '../../cluster/sources/observer-reports.ts';
import { unlessMissing } from '../api-answers.ts';
import { informer } from '../informer.ts';
import { HASH_ANNOTATION, MANAGED_BY_LABEL, isOurs, reportObject } from './report-object.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { RateLimiter } from '../../cluster/client/rate-limit.ts';
import type { Reflector } from '../../cluster/client/reflector.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';
import type { ReflectorContext } from '../../cluster/client/reflector.ts';
import type { ReportContent } from './report-object.ts';
import type { ReportsSetting } from './reports-setting.ts';

export const OUR_REPORTS = `${MANAGED_BY_LABEL}=${PROBEWRIGHT}`;

export interface ReportTarget {
  readonly served: readonly ReportApi[];
  readonly target: ReportApi | undefined;
}

/** Rejects when the answer is unknown: nothing may be concluded then. Without reports, there is no right to ask. */
export async function discoverReportApis(client: ApiClient, setting: ReportsSetting): Promise<ReportTarget> {
  if (setting === 'none') return { served: [], target: undefined };
  const served: ReportApi[] = [];
  for (const api of REPORT_APIS) if (await isServed(client, api)) served.push(api);
  const target = served.find(({ name }) => setting === 'auto' || setting === name);
  return { served, target };
}

async function isServed(client: ApiClient, { apiVersion, resource }: ReportApi): Promise<boolean> {
  const answer = await unlessMissing(client.request({ method: 'GET', path: `/apis/${apiVersion}` }));
  const resources: unknown = isJsonObject(answer) ? answer['resources'] : undefined;
  return Array.isArray(resources) && resources.some((each) => isJsonObject(each) && each['name'] === resource);
}

export function reportsPath({ apiVersion, resource }: ReportApi, namespace?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${apiVersion}${scope}/${resource}`;
}

/** Creates or replaces a report. Findings that the report has already keep their time stamps. */
export async function putReport(
  client: ApiClient,
  path: string,
  content: ReportContent,
  api: ReportApi,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const before = await existingReport(client, path, signal);
  const body = reportObject(content, api, before, seconds);
  const collection = path.slice(0, path.lastIndexOf('/'));
  if (before === undefined) await client.request({ method: 'POST', path: collection, body, signal });
  else await client.request({ method: 'PUT', path, body, signal });
}

/** Deletes a report. A report that does not exist is deleted already. */
export async function removeReport(client: ApiClient, path: string, signal: AbortSignal): Promise<void> {
  if ((await existingReport(client, path, signal)) !== undefined)
    await unlessMissing(client.request({ method: 'DELETE', path, signal }));
}

/** Deletes all reports of Probewright in an API. Resolves with their number. */
export async function removeReports(
  client: ApiClient,
  api: ReportApi,
  pace: RateLimiter,
  signal: AbortSignal,
): Promise<number> {
  const paths: string[] = [];
  const list = { path: reportsPath(api), query: { labelSelector: OUR_REPORTS }, accept: METADATA_LIST, signal };
  await new PagedList(client).forEachPage(list, ({ items }) => {
    for (const { metadata } of items)
      if (isOurs(metadata)) paths.push(`${reportsPath(api, metadata.namespace)}/${metadata.name}`);
  });
  for (const path of paths) {
    await pace.turn(signal);
    await unlessMissing(client.request({ method: 'DELETE', path, signal }));
  }
  return paths.length;
}

async function existingReport(client: ApiClient, path: string, signal: AbortSignal): Promise<unknown> {
  const report = await unlessMissing(client.request({ method: 'GET', path, signal }));
  if (report === undefined || (isKubernetesObject(report) && isOurs(report.metadata))) return report;
  throw new ReportRefused(`${path} is not a report of Probewright`);
}

/** Probewright itself does not write this report. */
export class ReportRefused extends Error {}

/** Knows the content hashes of our reports in the cluster, by `namespace/name`. Their content is not kept. */
export class ReportInformer {
  readonly api: ReportApi;
  readonly hashes = new Map<string, string>();
  readonly #reflector: Reflector;
  #isStopped = false;

  constructor(context: ReflectorContext, api: ReportApi, troubled: (problem: string | undefined) => void) {
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
