import { Exceptions } from '../facts/exceptions.ts';
import { POLICY_API_VERSION } from '../policy/api-version.ts';
import { reportedStatus } from './exception-status.ts';
import { EXCEPTION_KIND, parseProbeException, ProbeException } from '../policy/probe-exception.ts';
import type { FactKind } from './fact-kind.ts';

/** ProbeExceptions. */
export const PROBE_EXCEPTIONS: FactKind<ProbeException> = {
  kind: EXCEPTION_KIND,
  group: 'probewright.dev',
  apiVersion: POLICY_API_VERSION,
  resource: 'probeexceptions',
  omit: ['annotations', 'labels', 'ownerReferences'],
  isRequired: true,
  read: (object, catalogue) => {
    const parsed = parseProbeException(catalogue, object);
    if ('problems' in parsed) return parsed;
    const { name, expires, created, spec } = parsed.exception;
    return { fact: new ProbeException(name, spec, { expires, created, reported: reportedStatus(object) }) };
  },
  facts: (objects = new Map()) => ({ exceptions: new Exceptions(objects) }),
};
