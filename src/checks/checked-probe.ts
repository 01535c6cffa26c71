import { isJsonObject, member, objectMember, stringMember } from '../probes/json.ts';
import { HANDLER_KINDS, PROBE_KINDS, ownProbe } from '../probes/probe.ts';
import { probeTiming } from '../probes/timing.ts';
import type { JsonObject } from '../probes/json.ts';
import type { HandlerKind, ProbeKind } from '../probes/probe.ts';
import type { ProbeTiming } from '../probes/timing.ts';
import type { CheckedContainer } from './check.ts';

/** A probe that a check may judge: an object with exactly one handler, and not one of a mesh's. */
export interface CheckedProbe {
  readonly kind: ProbeKind;
  readonly spec: JsonObject;
  readonly path: string;
  readonly handlerKind: HandlerKind;
  readonly handler: JsonObject;
  readonly handlerPath: string;
}

/**
 * The probes of a container that a check may judge, in the API server's order. One without a handler, with two or
 * with a malformed one is valid-probe's business; one that Istio has rewritten is Istio's.
 */
export function probesOf(container: CheckedContainer): CheckedProbe[] {
  return PROBE_KINDS.flatMap((kind) => probeOf(container, kind) ?? []);
}

/** The container's probe of one kind, when a check may judge it. */
export function probeOf(container: CheckedContainer, kind: ProbeKind): CheckedProbe | undefined {
  const spec = ownProbe(container.spec, kind);
  if (!isJsonObject(spec) || isMeshRewritten(spec)) return undefined;
  const [handlerKind, ...others] = HANDLER_KINDS.filter((name) => isPresent(member(spec, name)));
  const handler = handlerKind === undefined ? undefined : objectMember(spec, handlerKind);
  if (handlerKind === undefined || handler === undefined || others.length > 0) return undefined;
  const path = `${container.path}.${kind}`;
  return { kind, spec, path, handlerKind, handler, handlerPath: `${path}.${handlerKind}` };
}

/**
 * True when the container has something under the probe's name, whatever it is. The API server takes null for absent.
 */
export function hasProbe(container: CheckedContainer, kind: ProbeKind): boolean {
  return isPresent(ownProbe(container.spec, kind));
}

/** Istio sends a rewritten probe to its agent, which asks the application: `/app-health/<container>/livez`. */
function isMeshRewritten(probe: JsonObject): boolean {
  const httpGet = objectMember(probe, 'httpGet');
  return httpGet !== undefined && (stringMember(httpGet, 'path')?.startsWith('/app-health/') ?? false);
}

/** True for a member that the API server does not take for absent. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

const TIMING_FIELDS = [
  'initialDelaySeconds',
  'periodSeconds',
  'timeoutSeconds',
  'failureThreshold',
  'successThreshold',
] as const;

/** A probe's timing; undefined when one of its integers is none, since nothing can be worked out from it. */
export function timingOf(probe: CheckedProbe): ProbeTiming | undefined {
  const sound = TIMING_FIELDS.every((field) => {
    const value = member(probe.spec, field);
    return !isPresent(value) || isCount(value);
  });
  return sound ? probeTiming(probe.spec) : undefined;
}

/** True for what an integer field that knows no negative numbers can hold. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
