import { isJsonObject, member } from '../probes/json.ts';
import { HANDLER_KINDS } from '../probes/probe.ts';
import { eachProbe } from './each-probe.ts';
import { stringsOf, stringsParameter } from './parameters.ts';
import { listed, the } from './wording.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { Check, CheckParameters } from './check.ts';

/**
 * Fields: `<probe>.exec`, `.httpGet`, `.tcpSocket`, `.grpc`.
 *
 * Rule: the handler is among those that the policy allows: `<probe>.allowed`, else `allowed`, else all four
 * (Gatekeeper, probeTypes).
 */
export const probeHandler: Check = {
  id: 'probe-handler',
  run: (_workload, container, parameters) =>
    eachProbe(container, (probe) => {
      const allowed = allowedFor(parameters, probe.kind);
      if (allowed.includes(probe.handlerKind)) return undefined;
      const message = `${the(container)} uses ${probe.handlerKind} as its ${probe.kind}; write ${listed(allowed, 'or')} instead`;
      return { probe: probe.kind, path: probe.handlerPath, message };
    }),
};

function allowedFor(parameters: CheckParameters, kind: ProbeKind): readonly string[] {
  const own = parameters.get(kind);
  const allowed = isJsonObject(own) ? stringsOf(member(own, 'allowed')) : undefined;
  return allowed ?? stringsParameter(parameters, 'allowed', HANDLER_KINDS);
}
