import { failureThresholdFor, faultSpan, guaranteedStartSeconds, probeTiming } from '../probe/timing.ts';
import type { ProbeTiming } from '../probe/timing.ts';
import { handlerFor } from './own-probes.ts';
import { ordered, withoutHandler, type StartupResult } from './startup.ts';
import type { Probe, ProbeKind } from '../probe/probe.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { Evidence } from './handler.ts';
import type { HandlerProblem } from './injection.ts';

/** The liveness or readiness probe of the policy for a container that has none, or why there is none. */
export function plainDefault(evidence: Evidence, policy: ContainerPolicy, kind: ProbeKind): StartupResult {
  const { handler, integers, removedBy } = policy.probes[kind];
  if (handler === undefined) return withoutHandler(removedBy);
  const fitted = handlerFor(evidence, handler, policy.port);
  if ('code' in fitted) return fitted;
  const { follows } = fitted;
  const source = { source: handler.layer.source, ...(follows && { follows }) };
  const [, startup] = (kind === 'livenessProbe' && evidence.own.find(([own]) => own === 'startupProbe')) || [];
  const failureThreshold = startup && safeThreshold(probeTiming(integers), startup);
  if (failureThreshold === undefined) return { probe: { ...fitted.handler, ...ordered(integers) }, ...source };
  if (typeof failureThreshold !== 'number') return failureThreshold;
  return { probe: { ...fitted.handler, ...ordered({ ...integers, failureThreshold }) }, ...source, isMadeSafe: true };
}

/**
 * The failureThreshold of an injected liveness probe that cannot kill a restarted container before the author's startup
 * probe asks (kubernetes/kubernetes#141155): max(0, D-1) + (F-1)*P >= P of the startup probe. Undefined when the
 * policy's number is large enough; a problem where a safe number would find a deadlock too late.
 */
function safeThreshold(timing: ProbeTiming, startup: Probe): number | HandlerProblem | undefined {
  const { periodSeconds } = probeTiming(startup);
  if (guaranteedStartSeconds(timing) >= periodSeconds) return undefined;
  const needed = failureThresholdFor(periodSeconds, timing.initialDelaySeconds, timing.periodSeconds);
  const { latest } = faultSpan({ ...timing, failureThreshold: needed }, timing.timeoutSeconds);
  if (needed <= MOST_FAILURES && latest <= MOST_KILL_SECONDS) return needed;
  return {
    code: 'startup-period-too-long',
    detail:
      `its startupProbe asks every ${periodSeconds} s, and after a restart this livenessProbe may kill it ` +
      `${guaranteedStartSeconds(timing)} s after the start; give the startupProbe a shorter periodSeconds`,
  };
}

/** Probewright's own limits for a raised failureThreshold: failures, and seconds from a deadlock to the verdict. */
const MOST_FAILURES = 10;
const MOST_KILL_SECONDS = 120;
