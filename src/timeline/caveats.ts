import { isJsonObject } from '../json/json-value.ts';
import { ownProbe, PROBE_KINDS } from '../probes/probe.ts';
import { undeclaredPortName } from '../workload/ports.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { ProbeKind } from '../probes/probe.ts';

/** The loss of a container when a probe never has a result. */
const LOSS: Readonly<Record<ProbeKind, string>> = {
  startupProbe: 'The container never counts as started, and its other probes never run.',
  livenessProbe: 'The probe never kills the container.',
  readinessProbe: 'The container is never Ready.',
};

/** Faults of a container's probes that decide what happens to the container, one text for each. */
export function caveatsOf(container: JsonObject): string[] {
  return PROBE_KINDS.flatMap((kind): string[] => {
    const probe = ownProbe(container, kind);
    if (probe === undefined) return [];
    if (!isJsonObject(probe)) return [`${kind} is not an object: the API server rejects it.`];
    const port = undeclaredPortName(container, probe);
    if (port === undefined) return [];
    const name = JSON.stringify(port);
    return [`${kind}: this container does not declare port ${name}. The kubelet discards every result. ${LOSS[kind]}`];
  });
}
