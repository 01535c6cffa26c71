import { objectMember, stringMembers } from '../../base/json/json-value.ts';
import { laxer } from '../../engine/policy/action.ts';
import { judge } from '../../engine/verdict/judge.ts';
import { isPod, templatesToLookAt } from '../../engine/workload/kinds.ts';
import { resultOfViolation, resultOfWarning } from '../reports/violation-result.ts';
import { workloadOf } from '../observed-workload.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { PlacedTemplate } from '../../engine/workload/kinds.ts';
import type { ReportResult } from '../reports/report-result.ts';
import type { ObservedKind, ObservedWorkload } from '../observed-workload.ts';

/** The settings of the webhook that change its verdict. */
export interface VerdictSettings {
  /** The strictest action that a violation may have. */
  readonly enforcement: Violation['action'];
  /** True when the webhook adds probes to Pods. */
  readonly addsProbes: boolean;
}

/** The verdict on a workload, as reports, logs and metrics need it. */
export interface JudgedWorkload {
  readonly workload: ObservedWorkload;
  readonly results: readonly ReportResult[];
  /** How many checks are in force for the workload and found nothing. */
  readonly passed: number;
}

/**
 * Judges a live workload as the webhook would judge it at its next change. Returns undefined for an object that the
 * webhook does not look at.
 *
 * @param now milliseconds since the epoch
 */
export function judgedWorkload(
  object: KubernetesObject,
  kind: ObservedKind,
  snapshot: Snapshot,
  settings: VerdictSettings,
  now: number,
): JudgedWorkload | undefined {
  const workload = workloadOf(object, kind);
  // Lists leave out the type of their items.
  const typed = { ...object, apiVersion: kind.served.apiVersion, kind: kind.served.kind } as unknown as JsonObject;
  const found = templatesToLookAt(typed, kind.templates);
  if (workload === undefined || 'skipped' in found) return undefined;
  const { templates } = found;
  const subject = { object: typed, kind: kind.templates, templates, namespace: workload.namespace };
  const judgement = judge(subject, snapshot, settings.addsProbes && !isPod(kind.templates), now);
  const policyOf = (template: PlacedTemplate | undefined): ReturnType<Snapshot['policyFor']> =>
    snapshot.policyFor(
      workload.namespace,
      stringMembers(objectMember(template?.template ?? {}, 'metadata') ?? {}, 'labels'),
    );
  const results = judgement.violations.map((violation) => {
    const capped = { ...violation, action: laxer(violation.action, settings.enforcement) };
    return resultOfViolation(capped, policyOf(templateOf(violation, templates)).layers, workload.namespace);
  });
  const warnings = isPod(kind.templates) ? [] : judgement.warnings.map(resultOfWarning);
  const violated = new Set(judgement.violations.map(({ check }) => check));
  let passed = 0;
  for (const [check, { action }] of policyOf(templates[0]).checkPolicy(''))
    if (action !== 'Off' && !violated.has(check)) passed += 1;
  return { workload, results: [...results, ...warnings], passed };
}

/** The template that a violation is in. */
function templateOf({ path }: Violation, templates: readonly PlacedTemplate[]): PlacedTemplate | undefined {
  if (templates.length === 1) return templates[0];
  return templates.find((template) => template.path.every((step, index) => path[index] === step));
}
