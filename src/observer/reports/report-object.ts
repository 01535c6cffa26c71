import { createHash } from 'node:crypto';
import { cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { objectsAt } from '../../base/json/field-path.ts';
import { isJsonObject, objectMember } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { MOST_RESULTS, PROBEWRIGHT, type ReportApi } from '../../cluster/sources/observer-reports.ts';
import type { ObservedWorkload } from '../observed-workload.ts';
import type { ReportOutcome, ReportResult } from './report-result.ts';

/** Marks the reports that Probewright writes. Only reports with this label are ever changed or deleted. */
export const MANAGED_BY_LABEL = 'app.kubernetes.io/managed-by';
const KIND_LABEL = 'probewright.dev/kind';
/** A report is written only when this annotation would change. */
export const HASH_ANNOTATION = 'probewright.dev/content-hash';

/** Names, keys and values that a tenant has chosen may be as long as an object. */
const LONGEST_TEXT = 1000;
const LONGEST_PROPERTY = 253;

/** The content of a report, before anything that depends on an API or on time. */
export interface ReportContent {
  readonly workload: ObservedWorkload;
  readonly summary: Readonly<Record<ReportOutcome, number>>;
  readonly results: readonly ReportResult[];
  readonly hash: string;
}

const OUTCOME_ORDER: readonly ReportOutcome[] = ['fail', 'error', 'warn', 'skip', 'pass'];

export interface JudgedWorkload {
  readonly workload: ObservedWorkload;
  readonly results: readonly ReportResult[];
  /** How many checks are in force for the workload and found nothing. */
  readonly passed: number;
}

export function reportContent(judged: JudgedWorkload, extra: readonly ReportResult[]): ReportContent {
  const { workload, results, passed } = judged;
  const all = [...results, ...extra];
  const summary: Record<ReportOutcome, number> = { pass: passed, fail: 0, warn: 0, error: 0, skip: 0 };
  for (const { result } of all) summary[result] += 1;
  const shown = all
    .toSorted((left, right) => OUTCOME_ORDER.indexOf(left.result) - OUTCOME_ORDER.indexOf(right.result))
    .slice(0, MOST_RESULTS)
    .map(safely);
  const last = shown.at(-1);
  if (last !== undefined && all.length > MOST_RESULTS) {
    const truncated = String(all.length - MOST_RESULTS);
    shown[shown.length - 1] = { ...last, properties: { ...last.properties, truncated } };
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([workload, summary, shown]))
    .digest('hex');
  return { workload, summary, results: shown, hash: `sha256:${digest}` };
}

/** Tenants choose names and values freely, and dashboards show them. */
function safely(result: ReportResult): ReportResult {
  const properties = Object.entries(result.properties).map(([key, value]) => [
    key,
    cut(visible(value), LONGEST_PROPERTY),
  ]);
  return {
    ...result,
    message: cut(visible(result.message), LONGEST_TEXT),
    properties: Object.fromEntries(properties) as Record<string, string>,
  };
}

/** The name of a workload's report. Other tools use the bare UID in the same API, so Probewright has a prefix. */
export function reportName(uid: string): string {
  return `probewright-${uid}`;
}

/** True for a report that Probewright has written. */
export function isOurs(metadata: {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}): boolean {
  return metadata.labels?.[MANAGED_BY_LABEL] === PROBEWRIGHT && metadata.name.startsWith('probewright-');
}

/** The object to write. A finding of `before` keeps its time stamp. `seconds`: the present, as a Unix time. */
export function reportObject(
  { workload, summary, results, hash }: ReportContent,
  api: ReportApi,
  before: KubernetesObject | undefined,
  seconds: number,
): object {
  const { apiVersion, kind, name, namespace, uid } = workload;
  const known = timestampsOf(before);
  const resourceVersion = before?.metadata.resourceVersion;
  return {
    apiVersion: api.apiVersion,
    kind: api.kind,
    metadata: {
      name: reportName(uid),
      namespace,
      ...(resourceVersion !== undefined && { resourceVersion }),
      labels: { [MANAGED_BY_LABEL]: PROBEWRIGHT, [KIND_LABEL]: kind },
      annotations: { [HASH_ANNOTATION]: hash },
      ownerReferences: [{ apiVersion, kind, name, uid }],
    },
    ...(api.hasSource && { source: PROBEWRIGHT }),
    scope: { apiVersion, kind, namespace, name, uid },
    summary,
    results: results.map((result) => ({
      source: PROBEWRIGHT,
      ...result,
      timestamp: known.get(identityOf(result)) ?? { seconds, nanos: 0 },
    })),
  };
}

interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

function timestampsOf(report: KubernetesObject | undefined): ReadonlyMap<string, Timestamp> {
  return new Map(
    objectsAt(report, 'results').flatMap((result) => {
      const { seconds, nanos } = objectMember(result, 'timestamp') ?? {};
      return typeof seconds === 'number' && typeof nanos === 'number'
        ? [[identityOf(result), { seconds, nanos }] as const]
        : [];
    }),
  );
}

/** A finding stays the same while its action or figures change. */
function identityOf(result: Readonly<Record<string, unknown>> | ReportResult): string {
  const { rule, message, properties } = result as Readonly<Record<string, unknown>>;
  const { container, probe, template } = isJsonObject(properties) ? properties : {};
  return JSON.stringify([rule, message, container, probe, template]);
}
