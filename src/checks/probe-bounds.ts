import { isJsonObject, member, objectMember } from '../probes/json.ts';
import { PROBE_INTEGERS } from '../probes/probe.ts';
import { probeGraceSeconds } from './grace.ts';
import { the } from './wording.ts';
import type { JsonObject } from '../probes/json.ts';
import type { ProbeInteger } from '../probes/probe.ts';
import type { Check, CheckParameters, CheckedContainer, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: the six integers of each probe, after API defaulting. A probe without terminationGracePeriodSeconds has
 * none to bound: the Pod's counts.
 *
 * Rule: `minimum` and `maximum` of the policy, per probe kind and field (Kubewarden, Datree). Off until a policy
 * asks.
 */
export const probeBounds: Check = {
  id: 'probe-bounds',
  run: (_workload, container, parameters) => container.probes.flatMap((probe) => judge(container, probe, parameters)),
};

function judge(container: CheckedContainer, probe: CheckedProbe, parameters: CheckParameters): Finding[] {
  const bounds = parameters.get(probe.kind);
  if (!isJsonObject(bounds)) return [];
  return PROBE_INTEGERS.flatMap((field): Finding[] => {
    const value = valueOf(probe, field);
    const limits = objectMember(bounds, field);
    const advice = value === undefined || limits === undefined ? undefined : whatToWrite(value, limits);
    if (advice === undefined) return [];
    const message = `${the(container)} has ${field} ${value ?? ''} in its ${probe.kind}; write ${advice}`;
    return [{ probe: probe.kind, path: `${probe.path}.${field}`, message }];
  });
}

function valueOf(probe: CheckedProbe, field: ProbeInteger): number | undefined {
  if (field !== 'terminationGracePeriodSeconds') return probe.timing?.[field];
  const grace = probeGraceSeconds(probe);
  return grace === 'absent' ? undefined : grace;
}

function whatToWrite(value: number, limits: JsonObject): string | undefined {
  const [minimum, maximum] = [member(limits, 'minimum'), member(limits, 'maximum')];
  if (typeof minimum === 'number' && value < minimum) return `${minimum} or more`;
  if (typeof maximum === 'number' && value > maximum) return `${maximum} or less`;
  return undefined;
}
