import { CHECKS } from './catalogue.ts';
import type { CheckPolicy } from '../policy/check-policy.ts';
import type { Check, CheckedContainer, CheckedWorkload } from './check.ts';
import type { Violation } from './violation.ts';

/**
 * Every violation of a workload: check after check in the catalogue's order, container after container in the API server's order.
 *
 * @param policyFor what policies say about the checks of a container, by its name
 */
export function runChecks(workload: CheckedWorkload, policyFor: (container: string) => CheckPolicy): Violation[] {
  const policies = workload.containers.map(({ name }) => policyFor(name));
  const violations: Violation[] = [];
  for (const check of CHECKS) {
    for (const [index, container] of workload.containers.entries()) {
      const policy = policies[index]?.get(check.id);
      if (policy === undefined || policy.action === 'Off' || !looksAt(check, container)) continue;
      for (const finding of check.run(workload, container, policy.parameters)) {
        violations.push({ check: check.id, action: policy.action, container: container.name, ...finding });
      }
    }
  }
  return violations;
}

/** Plain init, ephemeral and mesh containers have no probes of the user's; valid-probe alone says so where they try. */
function looksAt(check: Check, container: CheckedContainer): boolean {
  return check.everyContainer === true || container.role === 'application' || container.role === 'sidecar';
}
