import { fullMessage } from '../engine/checks/violation.ts';
import { formatPath } from '../base/json/field-path.ts';
import { policyAdvice } from '../engine/verdict/policy-advice.ts';
import type { PolicyAdvice } from '../cluster/sources/advice-status.ts';
import type { ProbePolicy } from '../engine/policy/probe-policy.ts';

/**
 * Makes the function that the source of policies asks for the advice about a policy: the violations of the probes that
 * the policy gives, without notes. The answer is kept as long as the policy, as every event of the policy asks again.
 */
export function statusAdvice(): (policy: ProbePolicy) => readonly PolicyAdvice[] {
  const known = new WeakMap<ProbePolicy, readonly PolicyAdvice[]>();
  return (policy) => {
    let advice = known.get(policy);
    if (advice === undefined) known.set(policy, (advice = adviceAbout(policy)));
    return advice;
  };
}

const NONE: readonly PolicyAdvice[] = [];

function adviceAbout(policy: ProbePolicy): readonly PolicyAdvice[] {
  const violations = policyAdvice(policy).filter(({ action }) => action !== 'Audit');
  if (violations.length === 0) return NONE;
  return violations.map(({ check, path, message, policy: fault }) => {
    const remedy = fault?.remedy;
    return {
      check,
      field: formatPath(path),
      message: fullMessage({ message, ...(remedy !== undefined && { remedy }) }),
    };
  });
}
