import { mutateInSteps } from '../src/admission/mutate.ts';
import { validateInSteps } from '../src/admission/validate.ts';
import { runToEnd } from '../src/steps.ts';
import type { Decision } from '../src/admission/decision.ts';

/** The decision of `/mutate`, without pauses. */
export function mutate(...inputs: Parameters<typeof mutateInSteps>): Decision {
  return runToEnd(mutateInSteps(...inputs));
}

/** The decision of `/validate`, without pauses. */
export function validate(...inputs: Parameters<typeof validateInSteps>): Decision {
  return runToEnd(validateInSteps(...inputs));
}
