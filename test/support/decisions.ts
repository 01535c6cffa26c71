import { mutateInSteps } from '../../src/webhook/review/mutate.ts';
import { validateInSteps } from '../../src/webhook/review/validate.ts';
import { runToEnd } from '../../src/base/steps.ts';
import type { Decision } from '../../src/webhook/review/decision.ts';

/** The decision of `/mutate`, without pauses. */
export function mutate(...inputs: Parameters<typeof mutateInSteps>): Decision {
  return runToEnd(mutateInSteps(...inputs));
}

/** The decision of `/validate`, without pauses. */
export function validate(...inputs: Parameters<typeof validateInSteps>): Decision {
  return runToEnd(validateInSteps(...inputs));
}
