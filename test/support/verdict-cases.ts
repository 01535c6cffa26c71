import { expect } from 'vitest';
import { formatPath } from '../../src/base/json/field-path.ts';
import { judgeObject } from '../../src/engine/verdict/judge.ts';
import { NOW } from './now.ts';
import { describeCases } from './recorded-cases.ts';
import { manifestOf, policiesOf, type WorkloadCase } from './workload-cases.ts';
import { subjectOf } from './worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Violation } from '../../src/engine/checks/violation.ts';

interface Case extends WorkloadCase {
  readonly policies?: JsonObject;
  /** The workload has yet to get the probes of the policies, as templates have. */
  readonly defaulted?: boolean;
  /** A check whose violations are shown, or Deny for all denials. */
  readonly only: string;
}

/** A violation as a line; in brackets, the policy that has to change. */
function line({ action, check, container, probe, message, remedy, policy }: Violation): string {
  const text = [message, remedy].filter(Boolean).join('; ');
  const fault = policy && ` (${policy.action} ${policy.source} ${formatPath(policy.path)}: ${policy.remedy})`;
  return `${action} ${check} ${[container, probe].filter(Boolean).join('.')}: ${text}${fault ?? ''}`;
}

function verdict(given: Case): JsonObject {
  const { violations } = judgeObject(
    subjectOf(manifestOf(given)),
    policiesOf(given.policies),
    given.defaulted ?? false,
    NOW,
  );
  const shown = violations.filter(({ check, action }) => (given.only === 'Deny' ? action : check) === given.only);
  // A finding's level is an action by now.
  for (const violation of violations) expect(violation).not.toHaveProperty('level');
  return { violates: shown.length > 0 ? shown.map(line) : undefined };
}

/** Tests the cases of a file in test/fixtures/verdicts. The test of the file's subject calls it. */
export function describeVerdicts(name: string): void {
  describeCases(`test/fixtures/verdicts/${name}.yaml`, ['violates'], (given) => verdict(given as unknown as Case));
}
