import { objectsAt, textAt } from '../../base/json/field-path.ts';
import { member, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { LIVE_RULES } from '../../engine/facts/live-rules.ts';

export interface ReportApi {
  readonly name: 'openreports' | 'wgpolicyk8s';
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  /** The report itself names its source. The older API has the source in each result only. */
  readonly hasSource: boolean;
}

export const REPORT_APIS: readonly ReportApi[] = [
  { name: 'openreports', apiVersion: 'openreports.io/v1alpha1', kind: 'Report', resource: 'reports', hasSource: true },
  {
    name: 'wgpolicyk8s',
    apiVersion: 'wgpolicyk8s.io/v1alpha2',
    kind: 'PolicyReport',
    resource: 'policyreports',
    hasSource: false,
  },
];

/** The APIs that reports are written to. `auto` = the first of openreports and wgpolicyk8s that the API server has. */
export const REPORTS_SETTINGS = ['auto', 'openreports', 'wgpolicyk8s', 'none'] as const;
export type ReportsSetting = (typeof REPORTS_SETTINGS)[number];

/** The name of Probewright as the policy of built-in actions, and as the source of reports. */
export const PROBEWRIGHT = 'probewright';

/** The most results of a report. etcd takes objects of up to 1.5 MiB; a workload may have thousands of findings. */
export const MOST_RESULTS = 100;

export interface ReportOfWorkload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly results: readonly ObservedResult[];
}

/** A result of a report that no check makes. */
export interface ObservedResult {
  readonly rule: string;
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
}

/** Undefined without such results. Results of checks are left out: whoever reads the report judges again. */
export function readObserverReport(object: JsonObject): ReportOfWorkload | undefined {
  const [version, type] = [member(object, 'apiVersion'), member(object, 'kind')];
  if (!REPORT_APIS.some((api) => api.apiVersion === version && api.kind === type)) return undefined;
  const results = objectsAt(object, 'results').slice(0, MOST_RESULTS).flatMap(readResult);
  const [apiVersion, kind] = [textAt(object, 'scope', 'apiVersion'), textAt(object, 'scope', 'kind')];
  const [namespace, name] = [textAt(object, 'scope', 'namespace'), textAt(object, 'scope', 'name')];
  if (apiVersion === undefined || kind === undefined || namespace === undefined || name === undefined) return undefined;
  // A tenant can write reports in the tenant's own namespaces. Such a report says nothing about other namespaces.
  if (textAt(object, 'metadata', 'namespace') !== namespace) return undefined;
  return results.length === 0 ? undefined : { apiVersion, kind, namespace, name, results };
}

function readResult(result: JsonObject): ObservedResult[] {
  if (member(result, 'source') !== PROBEWRIGHT) return [];
  const [rule, message] = [textAt(result, 'rule'), textAt(result, 'message')];
  if (rule === undefined || !LIVE_RULES.includes(rule) || message === undefined) return [];
  return [{ rule, message, properties: Object.fromEntries(stringMap(result, 'properties')) }];
}
