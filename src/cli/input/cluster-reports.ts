import { readObserverReport, REPORT_APIS } from '../../cluster/sources/observer-reports.ts';
import { hasCode } from '../../cluster/client/api-error.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { ObservedWorkload } from '../../cluster/sources/observer-reports.ts';
import type { ClusterReading } from './cluster-reading.ts';

/**
 * Reads what an observer has reported about live Pods. A cluster without the report APIs has no reports, and a missing
 * right to read reports is a warning: verdicts do not depend on reports.
 */
export async function readObserverReports(
  client: ApiClient,
  reading: ClusterReading,
): Promise<readonly ObservedWorkload[]> {
  const observed: ObservedWorkload[] = [];
  for (const { apiVersion, kind, resource } of REPORT_APIS) {
    // Without the right to list, the API server answers 403 for missing kinds too. Everybody may ask which APIs exist.
    if (!(await isServed(client, apiVersion))) continue;
    const [group = ''] = apiVersion.split('/');
    const listed = { group, apiVersion, resource, isNamespaced: true, mayBeMissing: true, isOptional: true };
    const found = await reading.list(listed, (object) =>
      // Lists may leave out version and kind of their items.
      readObserverReport({ ...(object as unknown as JsonObject), apiVersion, kind }),
    );
    observed.push(...found);
  }
  return observed;
}

/** An answer that is not clear counts as served: then the list says what is wrong. */
async function isServed(client: ApiClient, apiVersion: string): Promise<boolean> {
  try {
    await client.request({ method: 'GET', path: `/apis/${apiVersion}` });
    return true;
  } catch (error) {
    return !hasCode(error, 404);
  }
}
