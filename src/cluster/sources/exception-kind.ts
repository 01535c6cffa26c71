import { EXCEPTION_LIMITS, memoryOfText } from '../../engine/facts/fact-budget.ts';
import { Exceptions } from '../../engine/facts/exceptions.ts';
import { POLICY_API_VERSION } from '../../engine/policy/api-version.ts';
import { reportedStatus } from './exception-status.ts';
import { EXCEPTION_KIND, parseProbeException, ProbeException } from '../../engine/policy/probe-exception.ts';
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
  limits: EXCEPTION_LIMITS,
  bytes: ({ text }) => memoryOfText(text),
  created: ({ created }) => created,
  reported: ({ reported }) => reported,
  reportedOf: reportedStatus,
  facts: (objects = new Map()) => ({ exceptions: new Exceptions(objects) }),
};

/**
 * ProbeExceptions as the webhook mirrors them: without `reason` and `ticket`. No answer and no log line of the webhook
 * has these texts, and they are the longest texts of most exceptions.
 */
export const WEBHOOK_EXCEPTIONS: FactKind<ProbeException> = {
  ...PROBE_EXCEPTIONS,
  mirrored: ({ name, expires, created, reported, spec }) => {
    const { checks, workloads, workloadSelector, containers, owner } = spec;
    const kept = {
      checks,
      ...(workloads && { workloads }),
      ...(workloadSelector && { workloadSelector }),
      ...(containers && { containers }),
      owner,
      reason: '',
    };
    return new ProbeException(name, kept, { expires, created, reported });
  },
};
