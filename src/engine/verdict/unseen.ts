import type { JsonObject } from '../../base/json/json-value.ts';
import { validProbe } from '../checks/valid-probe.ts';
import type { Violation } from '../checks/violation.ts';
import type { PlacedTemplate } from '../workload/kinds.ts';
import { reviewProblem, sizeProblem } from '../workload/size-limits.ts';
import type { Judgement } from './judge.ts';

/** The verdict on the creation of an object that is too large to be looked at. Undefined for all other objects. */
export function judgementOfUnseen(object: JsonObject, templates: readonly PlacedTemplate[]): Judgement | undefined {
  const problem = sizeProblem(templates) ?? reviewProblem(object);
  return problem === undefined
    ? undefined
    : { violations: [violationOfUnseen(problem, 'Deny')], warnings: [], inForce: [] };
}

/** The violation of an object that is too large to be looked at. `message`: what is too large. */
export function violationOfUnseen(message: string, action: Violation['action']): Violation {
  return { check: validProbe.id, action, container: '', path: ['spec'], message, reason: 'FieldValueTooMany' };
}
