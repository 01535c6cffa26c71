import { keyOf } from './namespace-policies.ts';
import { contentInForce, isIncomplete, isOverBudget } from './policy-record.ts';
import { placeOf } from './policy-reference.ts';
import { isShown } from './policy-status.ts';
import type { PolicyAdvice } from './advice-status.ts';
import type { ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { NamespaceUse } from '../../engine/policy/policy-budget.ts';
import type { PolicyGrants } from './policy-grants.ts';
import type { PolicyRecords } from './namespace-policies.ts';
import type { PolicyRecord } from './policy-record.ts';
import type { PolicyReference } from './policy-reference.ts';
import type { SourceProblem } from './policy-source.ts';
import type { OverBudget, PolicyVerdict, StaleStatus } from './policy-status.ts';

/** Policies of a namespace that a budget keeps out of force. */
export interface NamespaceOverBudget {
  /** Undefined for the policies of the cluster. */
  readonly namespace: string | undefined;
  /** How many; 0 = all are within the budgets again. */
  readonly count: number;
  /** The first of them, as `ProbePolicy/apps/web`. */
  readonly first: readonly string[];
  /** The policies in force. */
  readonly use: NamespaceUse;
}

/** The reports of a mirror of policies. */
export interface PolicyMirrorListener {
  /** Other policies are in force than before. */
  readonly changed: () => void;
  /** The newest version of a policy cannot be used. Reported once for each version. */
  readonly failed: (problems: readonly SourceProblem[]) => void;
  /** A version that comes into force has warnings. */
  readonly warned: (warnings: readonly SourceProblem[]) => void;
  /** Other policies of a namespace are over budget than before. */
  readonly overBudget: (change: NamespaceOverBudget) => void;
  /**
   * The status of a policy is not as it should be; undefined when it is, or the policy is gone. Reported at every
   * event.
   */
  readonly status: (policy: PolicyReference, stale: StaleStatus | undefined) => void;
  /** Asked for the advice about a policy in force, for its status. */
  readonly advice?: ((policy: ProbePolicy) => readonly PolicyAdvice[]) | undefined;
}

/** A report of policies over budget names so many. */
const MAX_NAMED = 5;

/** Reports what became of policies, once everything that an event brought has been worked out. */
export class PolicyReports {
  readonly #records: PolicyRecords;
  readonly #grants: PolicyGrants;
  readonly #listener: PolicyMirrorListener;
  /** The changes since the last report. */
  readonly #policies = new Set<PolicyRecord>();
  readonly #namespaces = new Set<string>();
  #areOthersInForce = false;

  constructor(records: PolicyRecords, grants: PolicyGrants, listener: PolicyMirrorListener) {
    this.#records = records;
    this.#grants = grants;
    this.#listener = listener;
  }

  notePolicy(record: PolicyRecord): void {
    this.#policies.add(record);
  }

  noteNamespace(key: string): void {
    this.#namespaces.add(key);
  }

  /** The policy is gone. */
  forget(record: PolicyRecord): void {
    this.#policies.delete(record);
    if (record.inForce !== undefined) this.#areOthersInForce = true;
    this.#listener.status(record.reference, undefined);
  }

  /** Reports all that has changed. True when other policies are in force than before. */
  report(): boolean {
    for (const record of this.#policies) this.#reportPolicy(record);
    this.#policies.clear();
    for (const key of this.#namespaces) this.#reportOverBudget(key);
    this.#namespaces.clear();
    const areOthersInForce = this.#areOthersInForce;
    this.#areOthersInForce = false;
    return areOthersInForce;
  }

  #reportPolicy(record: PolicyRecord): void {
    const { reference, generation, shown, problems, resourceVersion: version } = record;
    const good = contentInForce(record);
    const isOther = good?.content.policy !== record.inForce;
    if (isOther) this.#areOthersInForce = true;
    record.inForce = good?.content.policy;
    if (isIncomplete(record)) return;
    const place = placeOf(reference);
    const newest = record.grant.version === 'newest' ? good?.content : undefined;
    const warnings = newest?.warnings ?? [];
    if (isOther && warnings.length > 0) this.#listener.warned(warnings.map((message) => ({ place, message })));
    if (problems.count > 0 && !record.areProblemsReported)
      this.#listener.failed(problems.shown.map((message) => ({ place, message })));
    record.areProblemsReported = true;
    const verdict: PolicyVerdict = {
      generation: generation ?? 0,
      problems: problems.shown,
      problemCount: problems.count,
      warnings,
      advice: newest === undefined ? [] : (this.#listener.advice?.(newest.policy) ?? []),
      overBudget: this.#overBudget(record),
      good: good && { generation: good.generation, spec: good.content.spec },
    };
    this.#listener.status(reference, isShown(shown, verdict) ? undefined : { shown, verdict, version });
  }

  #overBudget(record: PolicyRecord): OverBudget | undefined {
    const { grant, newest } = record;
    if (grant.exceeded === undefined || !isOverBudget(record)) return undefined;
    const { use } = this.#records.getOrCreate(keyOf(record)).granted;
    return { budget: grant.exceeded, bytes: newest?.bytes, use, total: this.#grants.total };
  }

  #reportOverBudget(key: string): void {
    const namespace = this.#records.get(key);
    if (namespace === undefined) return;
    let count = 0;
    const first: string[] = [];
    for (const record of namespace.records) {
      if (!isOverBudget(record)) continue;
      if (count++ < MAX_NAMED) first.push(placeOf(record.reference));
    }
    const report = count === 0 ? '' : `${count} ${first.join(' ')}`;
    if (report !== namespace.reportedOverBudget)
      this.#listener.overBudget({ namespace: key === '' ? undefined : key, count, first, use: namespace.granted.use });
    namespace.reportedOverBudget = report;
    this.#records.forgetEmpty(key);
  }
}
