import { isJsonObject } from '../json/json-value.ts';
import { ownProbe, PROBE_KINDS } from '../probes/probe.ts';
import { undeclaredPortName } from '../workload/ports.ts';
import type { JsonObject } from '../json/json-value.ts';

/** Why the figures of a container do not hold, one sentence for each probe that breaks an assumption of theirs. */
export function caveatsOf(container: JsonObject): string[] {
  return PROBE_KINDS.flatMap((kind): string[] => {
    const probe = ownProbe(container, kind);
    if (probe === undefined) return [];
    if (!isJsonObject(probe)) return [`${kind} is no object: the API server refuses it.`];
    const port = undeclaredPortName(container, probe);
    if (port === undefined) return [];
    return [
      `${kind} asks port ${JSON.stringify(port)}, which this container does not declare: ` +
        'the kubelet throws every result away, so the probe neither succeeds nor kills, ' +
        'and the times given for it do not hold.',
    ];
  });
}
