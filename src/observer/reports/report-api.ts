import { hasCode } from '../../cluster/client/api-error.ts';
import { isRecord } from '../../cluster/client/kubernetes-object.ts';
import { REPORT_APIS } from '../../cluster/sources/observer-reports.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { ReportApi } from '../../cluster/sources/observer-reports.ts';
import type { ReportsSetting } from './reports-setting.ts';

/** Which report APIs the API server has, and which of them is written to. */
export interface ReportTarget {
  readonly served: readonly ReportApi[];
  readonly target: ReportApi | undefined;
}

/**
 * Asks the API server for its report APIs. Rejects when the answer is unknown: then nothing may be concluded. Without
 * reports, the observer has no right to any report, and asks for nothing.
 */
export async function discoverReportApis(client: ApiClient, setting: ReportsSetting): Promise<ReportTarget> {
  if (setting === 'none') return { served: [], target: undefined };
  const served: ReportApi[] = [];
  for (const api of REPORT_APIS) if (await isServed(client, api)) served.push(api);
  const target = served.find(({ name }) => setting === 'auto' || setting === name);
  return { served, target };
}

async function isServed(client: ApiClient, { apiVersion, resource }: ReportApi): Promise<boolean> {
  try {
    const answer = await client.request({ method: 'GET', path: `/apis/${apiVersion}` });
    const resources: unknown = isRecord(answer) ? answer['resources'] : undefined;
    return Array.isArray(resources) && resources.some((each) => isRecord(each) && each['name'] === resource);
  } catch (error) {
    if (hasCode(error, 404)) return false;
    throw error;
  }
}

/** The path of the reports of a namespace, or of all namespaces. */
export function reportsPath({ apiVersion, resource }: ReportApi, namespace?: string): string {
  const scope = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `/apis/${apiVersion}${scope}/${resource}`;
}
