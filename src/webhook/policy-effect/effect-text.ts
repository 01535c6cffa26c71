import { count, cut } from '../../base/text/cut.ts';
import type { EffectResult } from '../review/decision.ts';
import type { Outcome } from '../../engine/verdict/compare/outcome.ts';
import type { Workload } from '../../engine/verdict/judge.ts';
import type { ListProgress } from './live-workloads.ts';

/** Why the effect was not computed at all. */
export type EffectRefusal = Extract<EffectResult, 'busy' | 'allowance' | 'not-loaded'>;

const REASONS: Readonly<Record<EffectRefusal, string>> = {
  busy: 'the effect of another policy is being computed',
  allowance: 'reviews of such policies took much time lately',
  'not-loaded': 'the policies in force are not loaded yet',
};

export function refusalWarning(refusal: EffectRefusal): string {
  return `the effect on live workloads was not computed: ${REASONS[refusal]}. Run probewright plan for the effect.`;
}

/** The workloads that are named, and the checks that are named for a workload. */
const MOST_NAMED = 3;
/** Kubernetes allows 253 characters for a name. Three of them would not leave room for the figures. */
const LONGEST_PLACE = 120;
/** The lists that are named in a warning. */
const MOST_LISTS = 5;

/** Adds up what a policy does to live workloads. Keeps numbers and a few names, and no workload. */
export class EffectFigures {
  workloads = 0;
  #affected = 0;
  #changedProbes = 0;
  readonly #denied = { new: 0, gone: 0 };
  readonly #warned = { new: 0, gone: 0 };
  #firstDenied: readonly { readonly place: string; readonly checks: readonly string[] }[] = [];

  add({ kind, namespace, name }: Pick<Workload, 'kind' | 'namespace' | 'name'>, outcome: Outcome): void {
    const { probes, violations, denied, warned } = outcome;
    this.workloads += 1;
    if (probes.length + violations.length > 0) this.#affected += 1;
    if (probes.length > 0) this.#changedProbes += 1;
    if (denied !== undefined) this.#denied[denied] += 1;
    if (warned !== undefined) this.#warned[warned] += 1;
    if (denied !== 'new') return;
    const ids = violations.flatMap(({ violation, after }) => (after === 'Deny' ? [violation.check] : []));
    const place = `${kind.kind} ${namespace}/${name}`;
    // Pages of several kinds arrive in any order. The first names by the alphabet are the same at each review.
    this.#firstDenied = [...this.#firstDenied, { place, checks: [...new Set(ids)] }]
      .toSorted((a, b) => (a.place < b.place ? -1 : 1))
      .slice(0, MOST_NAMED);
  }

  /**
   * Undefined when no workload is affected.
   *
   * @param namesWorkloads whether the reader may know names of workloads in all namespaces
   */
  sentence(namesWorkloads: boolean): string | undefined {
    if (this.#affected === 0) return undefined;
    const [gets, its] = this.#changedProbes === 1 ? ['gets', 'its'] : ['get', 'their'];
    const parts: readonly (readonly [number, string])[] = [
      [this.#denied.gone, 'would no longer be denied'],
      [this.#warned.new, 'would get warnings'],
      [this.#warned.gone, 'would no longer get warnings'],
      [this.#changedProbes, `${gets} other probes at ${its} next rollout`],
    ];
    const others = parts.filter(([figure]) => figure > 0).map(([figure, text]) => `${figure} ${text}`);
    return `${[this.#deniedPart(namesWorkloads), ...others].join('; ')}. Run probewright plan for details.`;
  }

  none(): string {
    return `no effect on ${count(this.workloads, 'workload')}: no other probes, no new warnings or denials.`;
  }

  #deniedPart(namesWorkloads: boolean): string {
    const denied = this.#denied.new;
    const whose = denied === 1 ? 'its' : 'their';
    const text = `${denied} of ${count(this.workloads, 'workload')} would be denied at ${whose} next change`;
    if (denied === 0 || !namesWorkloads) return text;
    const names = this.#firstDenied.map(({ place, checks }) => {
      const more = checks.length > MOST_NAMED ? ', ...' : '';
      return `${cut(place, LONGEST_PLACE)} (${checks.slice(0, MOST_NAMED).join(', ')}${more})`;
    });
    const others = denied - names.length;
    return `${text}: ${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  }
}

/**
 * Says what was not looked at, and why.
 *
 * @param scope where was listed: `in all namespaces`
 * @param cutShort the limit that ended the review, in words; undefined = none
 */
export function omissionWarnings(
  lists: readonly ListProgress[],
  scope: string,
  cutShort: string | undefined,
): readonly string[] {
  const failed = lists.filter(({ failure }) => failure !== undefined);
  const left = lists.filter((list) => list.failure === undefined && list.left !== undefined);
  const warnings = failed
    .slice(0, MOST_LISTS)
    .map(
      ({ resource, failure = '' }) => `the effect leaves out ${resource}: cannot list ${resource} ${scope}: ${failure}`,
    );
  if (failed.length > MOST_LISTS)
    warnings.push(`the effect leaves out ${failed.length - MOST_LISTS} more kinds that cannot be listed`);
  if (cutShort === undefined || left.length === 0) return warnings;
  const named = left.slice(0, MOST_LISTS).map(({ resource, left: amount = '' }) => `${amount} ${resource}`);
  const more = left.length > MOST_LISTS ? ` and ${count(left.length - MOST_LISTS, 'more kind')}` : '';
  return [`the figures are incomplete: ${cutShort}. Not looked at: ${named.join(', ')}${more}`, ...warnings];
}
