import { Exceptions } from '../facts/exceptions.ts';
import { POLICY_API_VERSION } from '../policy/probe-policy.ts';
import type { ProbeException } from '../policy/probe-exception.ts';
import type { FactKind } from './fact-kind.ts';

/** ProbeExceptions. */
export const PROBE_EXCEPTIONS: FactKind<ProbeException> = {
  kind: 'ProbeException',
  group: 'probewright.dev',
  apiVersion: POLICY_API_VERSION,
  resource: 'probeexceptions',
  omit: ['annotations', 'labels', 'ownerReferences'],
  isRequired: true,
  read: () => undefined,
  facts: (objects = new Map()) => ({ exceptions: new Exceptions(objects) }),
};
