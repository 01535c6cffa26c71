import { isJsonObject } from '../../base/json/json-value.ts';
import { createHash } from 'node:crypto';
import { cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { MOST_RESULTS, PROBEWRIGHT, type ReportApi } from '../../cluster/sources/observer-reports.ts';
import type { JudgedWorkload } from '../scan/judged-workload.ts';
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
  readonly workload: JudgedWorkload['workload'];
  readonly summary: Readonly<Record<ReportOutcome, number>>;
  readonly results: readonly ReportResult[];
  readonly hash: string;
}

const OUTCOME_ORDER: readonly ReportOutcome[] = ['fail', 'error', 'warn', 'skip', 'pass'];

export function reportContent(judged: JudgedWorkload, extra: readonly ReportResult[]): ReportContent {
  const all = [...judged.results, ...extra];
  const summary: Record<ReportOutcome, number> = { pass: judged.passed, fail: 0, warn: 0, error: 0, skip: 0 };
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
  const { workload } = judged;
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
  before: unknown,
  seconds: number,
): object {
  const { apiVersion, kind, name, namespace, uid } = workload;
  const known = timestampsOf(before);
  const resourceVersion = metadataOf(before)['resourceVersion'];
  return {
    apiVersion: api.apiVersion,
    kind: api.kind,
    metadata: {
      name: reportName(uid),
      namespace,
      ...(typeof resourceVersion === 'string' && { resourceVersion }),
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

function timestampsOf(report: unknown): ReadonlyMap<string, Timestamp> {
  const results: unknown = isJsonObject(report) ? report['results'] : undefined;
  const known = new Map<string, Timestamp>();
  for (const result of Array.isArray(results) ? (results as unknown[]) : []) {
    if (!isJsonObject(result) || !isJsonObject(result['timestamp'])) continue;
    const { seconds, nanos } = result['timestamp'];
    if (typeof seconds === 'number' && typeof nanos === 'number') known.set(identityOf(result), { seconds, nanos });
  }
  return known;
}

/** A finding stays the same while its action or figures change. */
function identityOf(result: Readonly<Record<string, unknown>> | ReportResult): string {
  const { rule, message, properties } = result as Readonly<Record<string, unknown>>;
  const { container, probe, template } = isJsonObject(properties) ? properties : {};
  return JSON.stringify([rule, message, container, probe, template]);
}

function metadataOf(object: unknown): Readonly<Record<string, unknown>> {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata : {};
}
