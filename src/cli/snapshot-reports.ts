import { knownResult } from '../observer/reports/known-result.ts';
import { profileName } from '../engine/facts/startup-profile.ts';
import { PROBEWRIGHT, readObserverReport, REPORT_APIS } from '../cluster/sources/observer-reports.ts';
import { apiGroup } from './observed-results.ts';
import type { JsonObject } from '../base/json/json-value.ts';
import type { Pseudonyms } from './snapshot/pseudonyms.ts';
import type { ObservedWorkload } from '../cluster/sources/observer-reports.ts';

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

/** Returns a report of a snapshot with pseudonyms. Its texts are written again with the pseudonyms. */
export function anonymousReport(item: JsonObject, names: Pseudonyms): JsonObject | undefined {
  const observed = readObserverReport(item);
  if (observed === undefined) return undefined;
  const renamed = observed.results.map((result) => {
    const { container, sources, workloads, ...others } = result.properties;
    return {
      ...result,
      properties: {
        ...others,
        ...(container !== undefined && { container: names.container(container) }),
        ...(sources !== undefined && {
          sources: sources
            .split(', ')
            .map((each) => names.source(each))
            .join(', '),
        }),
        ...(workloads !== undefined && {
          workloads: workloads.replace(WORDS, (word) => renamedWord(word, names)),
        }),
      },
    };
  });
  const { namespace, name } = observed;
  return reportItem({ ...observed, namespace: names.name(namespace), name: names.name(name), results: renamed });
}

const WORDS = /[^,; ]+/g;

/** Replaces the names in `apps/web` of `Deployment apps/web and 3 more`. Other words stay as they are. */
function renamedWord(word: string, names: Pseudonyms): string {
  const parts = word.split('/');
  return parts.length < 2 ? word : parts.map((part) => (part === '' ? part : names.name(part))).join('/');
}
