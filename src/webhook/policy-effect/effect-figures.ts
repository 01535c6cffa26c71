import { count } from '../../base/text/count.ts';
import { cut } from '../../base/text/cut.ts';
import type { Outcome } from '../../engine/verdict/compare/outcome.ts';
import type { Workload } from '../../engine/verdict/compare/workload.ts';

/** The workloads that are named. */
const MOST_NAMED = 3;
/** The checks that are named for a workload. */
const MOST_CHECKS = 3;
/** Kubernetes allows 253 characters for a name. Three of them would not leave room for the figures. */
const LONGEST_PLACE = 120;

interface Named {
  readonly place: string;
  readonly checks: readonly string[];
}

/** Adds up what a policy does to live workloads. Keeps numbers and a few names, and no workload. */
export class EffectFigures {
  readonly #namesWorkloads: boolean;
  #workloads = 0;
  #newlyDenied = 0;
  #noLongerDenied = 0;
  #newlyWarned = 0;
  #noLongerWarned = 0;
  #changedProbes = 0;
  #affected = 0;
  #firstDenied: readonly Named[] = [];

  /** @param namesWorkloads whether the reader may know names of workloads in all namespaces */
  constructor(namesWorkloads: boolean) {
    this.#namesWorkloads = namesWorkloads;
  }

  get workloads(): number {
    return this.#workloads;
  }

  add({ kind, namespace, name }: Pick<Workload, 'kind' | 'namespace' | 'name'>, outcome: Outcome): void {
    const { probes, violations, denied, warned } = outcome;
    this.#workloads += 1;
    if (probes.length + violations.length > 0) this.#affected += 1;
    if (probes.length > 0) this.#changedProbes += 1;
    if (denied === 'gone') this.#noLongerDenied += 1;
    if (warned === 'new') this.#newlyWarned += 1;
    if (warned === 'gone') this.#noLongerWarned += 1;
    if (denied !== 'new') return;
    this.#newlyDenied += 1;
    const ids = violations.flatMap(({ violation, after }) => (after === 'Deny' ? [violation.check] : []));
    const place = `${kind.kind} ${namespace}/${name}`;
    // Pages of several kinds arrive in any order. The first names by the alphabet are the same at each review.
    this.#firstDenied = [...this.#firstDenied, { place, checks: [...new Set(ids)] }]
      .toSorted((a, b) => (a.place < b.place ? -1 : 1))
      .slice(0, MOST_NAMED);
  }

  /** One sentence with the figures; undefined when no workload is affected. */
  sentence(): string | undefined {
    if (this.#affected === 0) return undefined;
    const parts = [
      this.#deniedPart(),
      ...part(this.#noLongerDenied, 'would no longer be denied'),
      ...part(this.#newlyWarned, 'would get warnings'),
      ...part(this.#noLongerWarned, 'would no longer get warnings'),
      ...part(this.#changedProbes, this.#changedProbes === 1 ? probesText('gets', 'its') : probesText('get', 'their')),
    ];
    return `${parts.join('; ')}. Run probewright plan for details.`;
  }

  /** The sentence when no workload is affected. */
  none(): string {
    return `no effect on ${count(this.#workloads, 'workload')}: no other probes, no new warnings or denials.`;
  }

  #deniedPart(): string {
    const all = count(this.#workloads, 'workload');
    const whose = this.#newlyDenied === 1 ? 'its' : 'their';
    const text = `${this.#newlyDenied} of ${all} would be denied at ${whose} next change`;
    if (this.#newlyDenied === 0 || !this.#namesWorkloads) return text;
    const names = this.#firstDenied.map(({ place, checks }) => {
      const more = checks.length > MOST_CHECKS ? ', ...' : '';
      return `${cut(place, LONGEST_PLACE)} (${checks.slice(0, MOST_CHECKS).join(', ')}${more})`;
    });
    const others = this.#newlyDenied - names.length;
    return `${text}: ${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  }
}

function part(figure: number, text: string): readonly string[] {
  return figure === 0 ? [] : [`${figure} ${text}`];
}

function probesText(verb: 'get' | 'gets', whose: 'its' | 'their'): string {
  return `${verb} other probes at ${whose} next rollout`;
}
