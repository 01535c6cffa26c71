import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import { exceptionSource } from '../../engine/facts/exceptions.ts';
import { endOf, exceptionRules, mayExcept } from '../../engine/policy/exception-rules.ts';
import { EXCEPTION_KIND, parseProbeException } from '../../engine/policy/probe-exception.ts';
import { count } from '../../base/text/count.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { Problem } from '../../engine/policy/problems.ts';
import type { ProbeException } from '../../engine/policy/probe-exception.ts';
import type { ReviewedException } from './decision.ts';

/** The findings of a review in a ProbeException. */
export type ExceptionReview =
  | { readonly problems: readonly Problem[] }
  | { readonly warnings: readonly string[]; readonly reviewed: ReviewedException };

/**
 * Reads a ProbeException that is applied, and compares it with the rules of the policies in force.
 *
 * @param object with its name
 * @param now in milliseconds since the epoch
 */
export function reviewException(
  object: JsonObject,
  namespace: string,
  policies: Snapshot,
  now: number,
): ExceptionReview {
  const parsed = parseProbeException(CHECK_CATALOGUE, object);
  if ('problems' in parsed) return parsed;
  const { exception } = parsed;
  const source = exceptionSource(namespace, exception.name);
  return {
    warnings: ruleWarnings(exception, namespace, policies, now),
    reviewed: { source, namespace, exception },
  };
}

/** Says which parts of an exception have no effect. */
function ruleWarnings(exception: ProbeException, namespace: string, policies: Snapshot, now: number): string[] {
  // Selectors over labels of workloads cannot be known here. Policies of the cluster set the rules.
  const rules = exceptionRules(policies.policyFor(namespace, new Map()).layers);
  if (rules.action === 'Ignore')
    return [`${EXCEPTION_KIND}s have no effect in namespace ${namespace}: a policy sets exceptions.action to Ignore`];
  const warnings = exception.spec.checks
    .filter((check) => !mayExcept(rules, check))
    .map((check) => `spec.checks: the policies allow no exception from ${check}, so ${check} stays in force`);
  const end = endOf(exception, rules);
  if (exception.expires <= now)
    warnings.push(`spec.expires: the exception ended at ${instant(exception.expires)}, so it has no effect`);
  else if (end < exception.expires)
    warnings.push(
      `spec.expires: the policies allow at most ${count(rules.maximumDays, 'day')}, so the exception ends at ${instant(end)}`,
    );
  return warnings;
}

function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}
