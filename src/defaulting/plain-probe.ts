import { handlerFor } from './own-probes.ts';
import { ordered } from './startup.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { Evidence } from './handler.ts';
import type { StartupResult } from './startup.ts';

/** The liveness or readiness probe of the policy for a container that has none, or why there is none. */
export function plainDefault(evidence: Evidence, policy: ContainerPolicy, kind: ProbeKind): StartupResult {
  const { handler, integers, removedBy } = policy.probes[kind];
  if (handler === undefined) {
    return removedBy === undefined
      ? { code: 'no-endpoint', detail: 'no policy names an endpoint or another handler' }
      : { code: 'removed-by-policy', detail: `${removedBy} removes it` };
  }
  const fitted = handlerFor(evidence, handler, policy.port);
  if ('code' in fitted) return fitted;
  const { follows } = fitted;
  const probe = { ...fitted.handler, ...ordered(integers) };
  return { probe, source: handler.source, ...(follows && { follows }) };
}
