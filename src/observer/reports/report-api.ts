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
import { versionOf } from '../observed-workload.ts';

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

/** What a write has left: the resourceVersion of the report, or the UID of the deleted one. Undefined: no report. */
type Written = { readonly version: number } | { readonly uid: string | undefined } | undefined;

/** Creates or replaces a report, or deletes it if there is no content. Findings that it has keep their time stamps. */
export async function writeReport(
  client: ApiClient,
  path: string,
  content: ReportContent | undefined,
  api: ReportApi,
  seconds: number,
  signal: AbortSignal,
): Promise<Written> {
  const before = await existingReport(client, path, signal);
  const body = content && reportObject(content, api, before, seconds);
  if (body === undefined) {
    if (before === undefined) return undefined;
    await unlessMissing(client.request({ method: 'DELETE', path, signal }));
    return { uid: before.metadata.uid };
  }
  const answer = await (before === undefined
    ? client.request({ method: 'POST', path: path.slice(0, path.lastIndexOf('/')), body, signal })
    : client.request({ method: 'PUT', path, body, signal }));
  return { version: isKubernetesObject(answer) ? versionOf(answer) : NaN };
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

/** No hash of ours. */
const DOUBTFUL = '';

/**
 * The content hashes of our reports in the cluster, by `namespace/name`. A write is known at once. The watch tells of
 * it only later, and may still tell what was there before.
 */
export class KnownReports extends Map<string, string> {
  readonly api: ReportApi;
  readonly reflector: Reflector;
  /** The last write of a report, until the watch has told of it. */
  readonly #untold = new Map<string, NonNullable<Written>>();

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
          if (hash !== undefined && !this.#isLate(key, report, false)) this.set(key, hash);
        }
      },
      gone: (report) => {
        const key = reportKey(report.metadata);
        if (!this.#isLate(key, report, true)) this.delete(key);
      },
      listing: () => {
        unlisted = new Set(this.keys());
        // The list and the watch after it tell of all earlier writes. A restored backup has lower versions.
        this.#untold.clear();
      },
      listed: () => {
        for (const key of unlisted) this.delete(key);
      },
      troubled,
    });
  }

  /** Notes a write of ours. `hash`: undefined for a deletion. */
  wrote(key: string, hash: string | undefined, written: Written): void {
    // The watch may have told of a deletion before the answer came.
    const isTold = hash === undefined && !this.has(key);
    if (hash === undefined) this.delete(key);
    else this.set(key, hash);
    if (written !== undefined && !isTold) this.#untold.set(key, written);
  }

  /** Notes a write whose answer was lost: the report has to be looked at. */
  doubt(key: string): void {
    this.set(key, DOUBTFUL);
  }

  /** True for an event of what was before our last write. */
  #isLate(key: string, report: KubernetesObject, isGone: boolean): boolean {
    const written = this.#untold.get(key);
    if (written === undefined) return false;
    const isLate =
      'version' in written ? versionOf(report) < written.version : !isGone && report.metadata.uid === written.uid;
    if (!isLate) this.#untold.delete(key);
    return isLate;
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
