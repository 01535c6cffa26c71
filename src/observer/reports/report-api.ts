import { collectionPath, objectPath, versionPath } from '../../cluster/client/api-path.ts';
import { objectsAt } from '../../base/json/field-path.ts';
import { unlessMissing, type ApiClient } from '../../cluster/client/api-client.ts';
import { isKubernetesObject, type KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { METADATA_LIST, PagedList } from '../../cluster/client/paged-list.ts';
import {
  PROBEWRIGHT,
  REPORT_APIS,
  type ReportApi,
  type ReportsSetting,
} from '../../cluster/sources/observer-reports.ts';
import { HASH_ANNOTATION, MANAGED_BY_LABEL, isOurs, reportObject, type ReportContent } from './report-object.ts';
import type { RateLimiter } from '../../cluster/client/rate-limiter.ts';
import { Reflector, type ReflectorContext } from '../../cluster/client/reflector.ts';

const OUR_REPORTS = `${MANAGED_BY_LABEL}=${PROBEWRIGHT}`;

interface ReportTarget {
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
  const answer = await unlessMissing(client.request({ method: 'GET', path: versionPath(apiVersion) }));
  return objectsAt(answer, 'resources').some(({ name }) => name === resource);
}

/** Creates or replaces a report, or deletes it if there is no content. Findings that it has keep their time stamps. */
export async function writeReport(
  client: ApiClient,
  path: string,
  content: ReportContent | undefined,
  api: ReportApi,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const before = await existingReport(client, path, signal);
  const body = content && reportObject(content, api, before, seconds);
  if (before !== undefined && body === undefined)
    await unlessMissing(client.request({ method: 'DELETE', path, signal }));
  else if (before !== undefined) await client.request({ method: 'PUT', path, body, signal });
  else if (body !== undefined)
    await client.request({ method: 'POST', path: path.slice(0, path.lastIndexOf('/')), body, signal });
}

/** Deletes all reports of Probewright in an API. Resolves with their number. */
export async function removeReports(
  client: ApiClient,
  api: ReportApi,
  pace: RateLimiter,
  signal: AbortSignal,
): Promise<number> {
  const paths: string[] = [];
  const list = { path: collectionPath(api), query: { labelSelector: OUR_REPORTS }, accept: METADATA_LIST, signal };
  await new PagedList(client).forEachPage(list, ({ items }) => {
    for (const { metadata } of items) if (isOurs(metadata)) paths.push(objectPath(api, metadata));
  });
  for (const path of paths) {
    await pace.turn(signal);
    await unlessMissing(client.request({ method: 'DELETE', path, signal }));
  }
  return paths.length;
}

async function existingReport(
  client: ApiClient,
  path: string,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const report = await unlessMissing(client.request({ method: 'GET', path, signal }));
  if (report === undefined) return undefined;
  if (isKubernetesObject(report) && isOurs(report.metadata)) return report;
  throw new ReportRefused(`${path} is not a report of Probewright`);
}

/** Probewright itself does not write this report. */
export class ReportRefused extends Error {}

/**
 * The content hashes of our reports in the cluster, by `namespace/name`. After a write, the writer sets the hash: the
 * watch tells of it only later.
 */
export class KnownReports extends Map<string, string> {
  readonly api: ReportApi;
  readonly reflector: Reflector;

  constructor(context: ReflectorContext, api: ReportApi, troubled: (problem: string | undefined) => void) {
    super();
    this.api = api;
    const reports = { path: collectionPath(api), labelSelector: OUR_REPORTS, metadataOnly: true };
    let unlisted = new Set<string>();
    this.reflector = new Reflector(context, reports, {
      seen: (objects) => {
        for (const report of objects) {
          const [key, hash] = [reportKey(report.metadata), hashOf(report)];
          unlisted.delete(key);
          if (hash !== undefined) this.set(key, hash);
        }
      },
      gone: (report) => void this.delete(reportKey(report.metadata)),
      listing: () => {
        unlisted = new Set(this.keys());
      },
      listed: () => {
        for (const key of unlisted) this.delete(key);
      },
      troubled,
    });
  }

  get isSynced(): boolean {
    return this.reflector.status().synced;
  }
}

export function reportKey({ namespace = '', name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Undefined for a report that is not ours. Anybody who may write reports may write any text as the hash. */
function hashOf({ metadata }: KubernetesObject): string | undefined {
  return isOurs(metadata) ? (metadata.annotations?.[HASH_ANNOTATION] ?? '').slice(0, 80) : undefined;
}
