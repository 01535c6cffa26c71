import { hasCode } from '../../cluster/client/api-error.ts';
import { isKubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { METADATA_LIST, PagedList } from '../../cluster/client/paged-list.ts';
import { isOurs, reportObject } from './report-object.ts';
import { reportsPath } from './report-api.ts';
import { OUR_REPORTS } from './report-mirror.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { Pace } from '../../cluster/client/pace.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';
import type { ReportContent } from './report-object.ts';

/** There is a report of this name that Probewright has not written. */
class ForeignReport extends Error {}

export function isForeign(error: unknown): boolean {
  return error instanceof ForeignReport;
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
  const before = await found(client, path, signal);
  const body = reportObject(content, api, before, seconds);
  const collection = path.slice(0, path.lastIndexOf('/'));
  if (before === undefined) await client.request({ method: 'POST', path: collection, body, signal });
  else await client.request({ method: 'PUT', path, body, signal });
}

/** Deletes a report. A report that does not exist is deleted already. */
export async function removeReport(client: ApiClient, path: string, signal: AbortSignal): Promise<void> {
  const before = await found(client, path, signal);
  if (before === undefined) return;
  try {
    await client.request({ method: 'DELETE', path, signal });
  } catch (error) {
    if (!hasCode(error, 404)) throw error;
  }
}

/** Deletes all reports of Probewright in an API. Resolves with their number. */
export async function deleteReports(
  client: ApiClient,
  api: ReportApi,
  pace: Pace,
  signal: AbortSignal,
): Promise<number> {
  const paths: string[] = [];
  const query = { labelSelector: OUR_REPORTS };
  await new PagedList(client).forEachPage(
    { path: reportsPath(api), query, accept: METADATA_LIST, signal },
    ({ items }) => {
      for (const { metadata } of items)
        if (isOurs(metadata)) paths.push(`${reportsPath(api, metadata.namespace)}/${metadata.name}`);
    },
  );
  for (const path of paths) {
    await pace.turn(signal);
    await client.request({ method: 'DELETE', path, signal }).catch((error: unknown) => {
      if (!hasCode(error, 404)) throw error;
    });
  }
  return paths.length;
}

/** The report in the cluster. Undefined if there is none. */
async function found(client: ApiClient, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    const report = await client.request({ method: 'GET', path, signal });
    if (isKubernetesObject(report) && isOurs(report.metadata)) return report;
    throw new ForeignReport(`${path} is not a report of Probewright`);
  } catch (error) {
    if (hasCode(error, 404)) return undefined;
    throw error;
  }
}
