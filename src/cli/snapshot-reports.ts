import { knownResult } from '../observing/reports/known-result.ts';
import { profileName } from '../facts/startup-profile.ts';
import { PROBEWRIGHT, readObserverReport, REPORT_APIS } from '../sources/observer-reports.ts';
import { apiGroup } from './observed-results.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ObservedWorkload } from '../sources/observer-reports.ts';

/** The reports of an observer about live Pods, for a snapshot. Undefined for other objects. */
export function reportPart(object: JsonObject): JsonObject | undefined {
  const observed = readObserverReport(object);
  return observed && reportItem(observed);
}

/**
 * A report as an item of a snapshot, in the preferred API. A report of an observer has the UID of its workload in its
 * name. The item is named by kind and name instead. Undefined when no result may leave.
 */
export function reportItem(observed: ObservedWorkload): JsonObject | undefined {
  const { apiVersion, kind, namespace, name } = observed;
  const [api] = REPORT_APIS;
  const workload = { namespace, group: apiGroup({ apiVersion }), kind, name };
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
