import { objectMember, stringMap } from '../probes/json.ts';
import { checkedWorkload } from '../checks/checked-workload.ts';
import { runChecks } from '../checks/run-checks.ts';
import { defaultProbes } from '../defaulting/default-probes.ts';
import { effectiveTemplate } from '../defaulting/effective.ts';
import { checkPolicyByContainer } from '../policy/check-policy.ts';
import type { JsonObject } from '../probes/json.ts';
import type { Violation } from '../checks/violation.ts';
import type { Defaulting } from '../defaulting/default-probes.ts';
import type { PolicySet } from '../policy/policy-set.ts';
import type { PlacedTemplate, WorkloadKind } from '../workload/kinds.ts';

/** An object to be judged. */
export interface Subject {
  readonly object: JsonObject;
  readonly kind: WorkloadKind;
  readonly templates: readonly PlacedTemplate[];
  readonly namespace: string;
}

/** What was found, and what the workload's author got wrong in annotations. */
export interface Judgement {
  readonly violations: readonly Violation[];
  readonly warnings: readonly string[];
  readonly policies: readonly string[];
}

/**
 * Judges an object by its effective templates.
 *
 * @param willBeDefaulted the Pods will get what policy gives them; false for a Pod that has been through the mutating webhook, and while
 *   mutation is not On: then it is judged as it stands
 */
export function judge(
  { object, kind, templates, namespace }: Subject,
  policies: PolicySet,
  willBeDefaulted: boolean,
): Judgement {
  const violations: Violation[] = [];
  const warnings = new Set<string>();
  const sources = new Set<string>();
  for (const { template, path } of templates) {
    const policy = policies.policyFor(namespace, stringMap(objectMember(template, 'metadata') ?? {}, 'labels'));
    for (const { source } of policy.layers) sources.add(source);
    const defaulting = defaultProbes(template, policy, kind);
    for (const warning of defaulting.warnings) warnings.add(warning);
    const effective = willBeDefaulted ? effectiveTemplate(template, defaulting.injections) : template;
    const workload = checkedWorkload(object, kind, { template: effective, path });
    const found = runChecks(workload, checkPolicyByContainer(policy.layers));
    // One by one: what is spread into a call has to fit on the stack, and a hostile object has any number of faults.
    for (const violation of willBeDefaulted ? withSources(found, defaulting) : found) violations.push(violation);
  }
  return { violations, warnings: [...warnings], policies: [...sources] };
}

/** Says so where a probe is not the author's: who is to mend it is another then. */
function withSources(violations: readonly Violation[], { injections }: Defaulting): readonly Violation[] {
  if (violations.length === 0 || injections.length === 0) return violations;
  const sources = new Map(injections.map(({ container, kind, source }) => [`${container.name} ${kind}`, source]));
  return violations.map((violation) => {
    const source = sources.get(`${violation.container} ${violation.probe ?? ''}`);
    if (source === undefined) return violation;
    return { ...violation, message: `${violation.message}; this probe is injected (${source})` };
  });
}
