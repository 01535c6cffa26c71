import type { JsonObject } from '../../base/json/json-value.ts';
import { laxer, type Enforcement } from '../../engine/policy/action.ts';
import { judge, podLabelsOf, type Judgement } from '../../engine/verdict/judge.ts';
import { isPod, templatesToLookAt, type PlacedTemplate } from '../../engine/workload/kinds.ts';
import { workloadOf, type ObservedKind, type ObservedWorkload } from '../observed-workload.ts';
import { resultOfViolation, resultOfWarning, type ReportResult } from '../reports/report-result.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';

export interface VerdictSettings {
  /** The strictest action that a violation may have. */
  readonly enforcement: Enforcement;
  readonly addsProbes: boolean;
}

export interface LiveJudgement extends Judgement {
  /** The object with its type, which lists leave out of their items. */
  readonly object: JsonObject;
  readonly templates: readonly PlacedTemplate[];
}

/**
 * Judges a live object as the webhook would judge it at its next change. Returns undefined for an object that the
 * webhook does not look at.
 *
 * @param now milliseconds since the epoch
 */
export function judgeLive(
  item: KubernetesObject,
  { served: { apiVersion, kind }, templates: known }: ObservedKind,
  snapshot: Snapshot,
  { enforcement, addsProbes }: VerdictSettings,
  now: number,
): LiveJudgement | undefined {
  const object = { ...item, apiVersion, kind } as unknown as JsonObject;
  const found = templatesToLookAt(object, known);
  if ('skipped' in found) return undefined;
  const { templates } = found;
  const subject = { object, kind: known, templates, namespace: item.metadata.namespace ?? '' };
  const judgement = judge(subject, snapshot, addsProbes && !isPod(known), now);
  const violations = judgement.violations.map((one) => ({ ...one, action: laxer(one.action, enforcement) }));
  return { ...judgement, violations, object, templates };
}

export interface JudgedWorkload {
  readonly workload: ObservedWorkload;
  readonly results: readonly ReportResult[];
  /** How many checks are in force for the workload and found nothing. */
  readonly passed: number;
}

/** Judges a live workload as `judgeLive` does. Undefined also for an object that no report can refer to. */
export function judgedWorkload(
  object: KubernetesObject,
  kind: ObservedKind,
  snapshot: Snapshot,
  settings: VerdictSettings,
  now: number,
): JudgedWorkload | undefined {
  const workload = workloadOf(object, kind);
  const live = workload && judgeLive(object, kind, snapshot, settings, now);
  if (workload === undefined || live === undefined) return undefined;
  const { violations, warnings, templates } = live;
  const { namespace } = workload;
  const policyOf = (template: PlacedTemplate | undefined): ReturnType<Snapshot['policyFor']> =>
    snapshot.policyFor(namespace, podLabelsOf(template?.template ?? {}));
  const results = [
    ...violations.map((one) => resultOfViolation(one, policyOf(templateOf(one, templates)).layers, namespace)),
    ...(isPod(kind.templates) ? [] : warnings.map(resultOfWarning)),
  ];
  const violated = new Set(violations.map(({ check }) => check));
  const inForce = [...policyOf(templates[0]).checkPolicy('')].filter(([, { action }]) => action !== 'Off');
  return { workload, results, passed: inForce.filter(([check]) => !violated.has(check)).length };
}

function templateOf({ path }: Violation, templates: readonly PlacedTemplate[]): PlacedTemplate | undefined {
  if (templates.length === 1) return templates[0];
  return templates.find((template) => template.path.every((step, index) => path[index] === step));
}
