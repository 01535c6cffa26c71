import type { JsonObject } from '../../base/json/json-value.ts';
import { profileName } from '../../engine/facts/startup-profile.ts';
import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { knownResult } from '../../observer/reports/known-result.ts';
import {
  PROBEWRIGHT,
  readObserverReport,
  REPORT_APIS,
  type ReportOfWorkload,
} from '../../cluster/sources/observer-reports.ts';

/** The reports of an observer about live Pods, for a snapshot. Undefined for other objects. */
export function reportPart(object: JsonObject): JsonObject | undefined {
  const observed = readObserverReport(object);
  return observed && reportItem(observed);
}

/**
 * A report as an item of a snapshot, in the preferred API. A report of an observer has the UID of its workload in its
 * name. The item is named by kind and name instead. Undefined when no result may leave.
 */
export function reportItem(observed: ReportOfWorkload): JsonObject | undefined {
  const { apiVersion, kind, namespace, name } = observed;
  const [api] = REPORT_APIS;
  const workload = { namespace, group: groupOfVersion(apiVersion), kind, name };
  const results = observed.results.flatMap((result) => knownResult(result, workload) ?? []);
  if (api === undefined || results.length === 0) return undefined;
  return {
    apiVersion: api.apiVersion,
    kind: api.kind,
    metadata: { name: `${PROBEWRIGHT}-${profileName(kind, name)}`, namespace },
    source: PROBEWRIGHT,
    scope: { apiVersion, kind, namespace, name },
    results: results.map((result) => ({ source: PROBEWRIGHT, ...result })),
  };
}
