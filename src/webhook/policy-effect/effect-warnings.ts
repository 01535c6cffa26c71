import { count } from '../../base/text/count.ts';
import type { EffectResult } from '../review/effect-result.ts';

/** Why the effect was not computed at all. */
export type EffectRefusal = Extract<EffectResult, 'busy' | 'allowance' | 'not-loaded'>;

/** Why workloads were not looked at. */
export type EffectEnd = 'time' | 'workloads';

/** The objects that were listed of a kind. */
export interface ListProgress {
  /** The resource as RBAC and kubectl name it: `deployments.apps`. */
  readonly resource: string;
  /** `in all namespaces`. */
  readonly scope: string;
  /** All objects were looked at, or the cluster does not have the kind. */
  isComplete: boolean;
  hasBegun: boolean;
  /** The objects that are left, if the API server said. */
  remaining: number | undefined;
  /** Why the list failed: `forbidden`, or other words. */
  failure: string | undefined;
}

const HINT = 'Run probewright plan for the effect.';

/** The warnings in place of the figures. */
export const REFUSALS: Readonly<Record<EffectRefusal, string>> = {
  busy: `the effect on live workloads was not computed: the effect of another policy is being computed. ${HINT}`,
  allowance: `the effect on live workloads was not computed: reviews of such policies took much time lately. ${HINT}`,
  'not-loaded': `the effect on live workloads was not computed: the policies in force are not loaded yet. ${HINT}`,
};

/** The lists that are named in a warning. */
const MOST_NAMED = 5;

/** Says what was not looked at, and why. No warnings = everything was looked at. */
export function omissionWarnings(
  lists: readonly ListProgress[],
  end: EffectEnd | undefined,
  workloads: number,
  limits: { readonly milliseconds: number; readonly workloads: number },
): readonly string[] {
  const failed = lists.filter(({ failure }) => failure !== undefined);
  const cutOff = lists.filter(({ failure, isComplete }) => failure === undefined && !isComplete);
  const warnings = failed
    .slice(0, MOST_NAMED)
    .map(
      ({ resource, scope, failure = '' }) =>
        `the effect leaves out ${resource}: cannot list ${resource} ${scope}: ${failure}`,
    );
  if (failed.length > MOST_NAMED)
    warnings.push(`the effect leaves out ${failed.length - MOST_NAMED} more kinds that cannot be listed`);
  if (end === undefined || cutOff.length === 0) return warnings;
  const seconds = Math.round(limits.milliseconds / 100) / 10;
  const reason =
    end === 'time'
      ? `the time limit of ${seconds} s ended the review after ${count(workloads, 'workload')}`
      : `a review looks at most at ${limits.workloads} workloads`;
  return [`the figures are incomplete: ${reason}. Not looked at: ${leftOut(cutOff)}`, ...warnings];
}

function leftOut(lists: readonly ListProgress[]): string {
  const named = lists.slice(0, MOST_NAMED).map(({ resource, hasBegun, remaining }) => {
    if (!hasBegun) return `all ${resource}`;
    return remaining === undefined ? `some ${resource}` : `about ${remaining} ${resource}`;
  });
  const more = lists.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${count(more, 'more kind')}` : ''}`;
}
