import { Informer } from './informer.ts';
import { MERGE_PATCH, type ApiClient, type ApiRequests } from '../client/api-client.ts';
import { isRecord } from '../client/kubernetes-object.ts';
import { isCurrent, objectPath, observed, placeOf, policyKind } from './policy-kind.ts';
import { isShown, shownStatus, statusPatch, type PolicyVerdict } from './policy-status.ts';
import type { ClockRandomAndTimer } from '../client/clock.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { Budget } from '../../engine/policy/budget.ts';
import type { PolicyKind, ProbePolicy } from '../../engine/policy/probe-policy.ts';
import type { PolicyAdvice } from './advice-status.ts';
import type { LeftOut, OverBudgetChange } from './stored-kind.ts';
import type { ObservedObject, PolicyRecord } from './policy-kind.ts';
import type { SourceProblem } from './policy-source.ts';
import type { StatusTask } from './status-writer.ts';

/** A policy whose status may have to be written. */
export interface JudgedPolicy {
  readonly seen: ObservedObject;
  /** What the status should say by now. Takes time for a policy with advice. */
  readonly verdict: () => PolicyVerdict;
}

/** The reports of the policies of one kind. */
export interface PolicyListener {
  /** Other policies are in force than before. */
  readonly changed: () => void;
  /** The newest version of a policy cannot be used. Reported once for each version. */
  readonly failed: (problems: readonly SourceProblem[]) => void;
  /** A version that comes into force has warnings. */
  readonly warned: (warnings: readonly SourceProblem[]) => void;
  readonly overBudget: ((change: OverBudgetChange) => void) | undefined;
  /** A policy is new or has changed. Absent: nobody writes statuses. */
  readonly judged?: ((policy: JudgedPolicy) => void) | undefined;
  /** The policy of this place is gone. */
  readonly gone?: ((place: string) => void) | undefined;
  /** The advice about a policy in force, for its status. */
  readonly advice?: ((policy: ProbePolicy) => readonly PolicyAdvice[]) | undefined;
  /** Contact is lost, or back (undefined). */
  readonly troubled: (problem: string | undefined) => void;
}

/** How the policies of one kind are doing. */
export interface PolicyCounts {
  /** Policies whose newest version a budget keeps out of force, by the budget. */
  readonly overBudget: Readonly<Record<Budget, number>>;
  /** The memory of all policies, in bytes. */
  readonly used: number;
  /** Problems of policies that cannot be read. */
  readonly problems: number;
}

/** The policies of one kind in a cluster, and what became of each. */
export class PolicyInformer {
  readonly kind: PolicyKind;
  readonly informer: Informer<PolicyRecord>;
  readonly #listener: PolicyListener;
  readonly #total: number;

  /** @param total bytes of memory that the ProbePolicies of all namespaces may take together */
  constructor(
    catalogue: CheckCatalogue,
    kind: PolicyKind,
    client: ApiClient,
    listener: PolicyListener,
    clock: ClockRandomAndTimer,
    options: { readonly total: number; readonly renewalMilliseconds: number | undefined },
  ) {
    this.kind = kind;
    this.#listener = listener;
    this.#total = options.total;
    this.informer = new Informer(
      client,
      policyKind(catalogue, kind, options.total),
      {
        changed: listener.changed,
        kept: (record) => {
          this.#log(record);
          this.#judge(record);
        },
        leftOut: (left) => this.#judgeLeftOut(left),
        gone: (namespace, name) =>
          listener.gone?.(placeOf({ kind, namespace: namespace === '' ? undefined : namespace, name })),
        overBudget: listener.overBudget,
        troubled: listener.troubled,
      },
      clock,
      options.renewalMilliseconds,
    );
  }

  /** The policies in force. */
  policies(): readonly ProbePolicy[] {
    return [...this.informer.store.all()].flatMap(({ inForce }) => inForce?.policy ?? []);
  }

  /** Reports each policy as judged again. Of policies that are left out, nothing is kept, so they are listed again. */
  judgeAll(): void {
    for (const record of this.informer.store.all()) this.#judge(record);
    this.informer.listAgainIfLeftOut();
  }

  /** The first problems of policies that cannot be read. */
  problems(most: number): SourceProblem[] {
    const problems: SourceProblem[] = [];
    for (const record of this.informer.store.all()) {
      if (problems.length >= most) break;
      problems.push(...problemsOf(record));
    }
    return problems.slice(0, most);
  }

  counts(): PolicyCounts {
    let [tooLarge, problems] = [0, 0];
    for (const record of this.informer.store.all()) {
      if (record.tooLarge !== undefined) tooLarge++;
      problems += record.problems.count;
    }
    const { leftOut, used } = this.informer.store.counts();
    return { overBudget: { ...leftOut, object: tooLarge }, used, problems };
  }

  #log(record: PolicyRecord): void {
    if (record.isLogged) return;
    record.isLogged = true;
    if (record.problems.count > 0) this.#listener.failed(problemsOf(record));
    const { inForce, seen } = record;
    if (!isCurrent(record) || inForce === undefined || inForce.warnings.length === 0) return;
    this.#listener.warned(inForce.warnings.map((message) => ({ place: placeOf(seen.reference), message })));
  }

  #judge(record: PolicyRecord): void {
    const { seen, inForce, problems, tooLarge } = record;
    const newest = isCurrent(record) ? inForce : undefined;
    this.#listener.judged?.({
      seen,
      verdict: () => ({
        generation: seen.generation ?? 0,
        problems: problems.shown,
        problemCount: problems.count,
        warnings: newest?.warnings ?? [],
        advice: newest === undefined ? [] : (this.#listener.advice?.(newest.policy) ?? []),
        ...(tooLarge !== undefined && { overBudget: { ...this.#budget('object', ''), bytes: tooLarge } }),
        good: inForce?.generation,
      }),
    });
  }

  #judgeLeftOut({ namespace, reason, object, entry }: LeftOut<PolicyRecord>): void {
    const seen = entry?.seen ?? (object && observed(this.kind, object));
    if (seen === undefined || reason === 'invalid') return;
    this.#listener.judged?.({
      seen,
      verdict: () => ({
        generation: seen.generation ?? 0,
        problems: [],
        overBudget: this.#budget(reason, namespace),
        good: undefined,
      }),
    });
  }

  #budget(budget: Budget, namespace: string): NonNullable<PolicyVerdict['overBudget']> {
    const { store } = this.informer;
    return { budget, use: store.useOf(namespace), total: { bytes: this.#total, level: store.level } };
  }
}

function problemsOf({ seen, problems }: PolicyRecord): SourceProblem[] {
  const place = placeOf(seen.reference);
  return problems.shown.map((message) => ({ place, message }));
}

/** Who wrote a field, as managedFields shows it. */
const FIELD_MANAGER = 'probewright-status';

/**
 * Writes into the status of a policy what became of the policy.
 *
 * @param now the wall clock, in milliseconds since the epoch
 */
export function policyStatusTask(client: ApiRequests, now: () => number, { seen, verdict }: JudgedPolicy): StatusTask {
  const { reference, resourceVersion, shown } = seen;
  return {
    place: placeOf(reference),
    resourceVersion,
    write: async (signal) => {
      const wanted = verdict();
      const body = statusPatch(shown, wanted, now());
      if (body === undefined) return undefined;
      const path = `${objectPath(reference)}/status`;
      const query = { fieldManager: FIELD_MANAGER };
      const object = await client.request({ method: 'PATCH', path, query, contentType: MERGE_PATCH, body, signal });
      const { status, metadata } = isRecord(object) ? object : {};
      const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
      return {
        isKept: isShown(shownStatus(status), wanted),
        resourceVersion: typeof version === 'string' ? version : undefined,
      };
    },
  };
}
