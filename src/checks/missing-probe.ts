import { member } from '../probes/json.ts';
import { tcpPortsOf } from '../workload/ports.ts';
import { probeOf } from './checked-probe.ts';
import { booleanParameter } from './parameters.ts';
import { startupProbeFor } from './startup-probe.ts';
import { yamlFlow } from './wording.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { CheckParameters, CheckedContainer, CheckedWorkload } from './check.ts';

/**
 * True when the required-* checks speak of this container. They concern workloads and containers that run for ever: the main
 * container (with `containers: all` every application container), and sidecars with `sidecars: true`. When the main
 * container cannot be told, nobody is.
 */
export function isConcerned(
  workload: CheckedWorkload,
  container: CheckedContainer,
  parameters: CheckParameters,
): boolean {
  if (!workload.runsForever) return false;
  if (container.role === 'sidecar') return booleanParameter(parameters, 'sidecars');
  if (container.role !== 'application' || (member(container.spec, 'restartPolicy') ?? 'Always') !== 'Always')
    return false;
  return parameters.get('containers') === 'all' || container.name === workload.main;
}

/**
 * The probe to write: a startup probe in full beside a liveness probe, else the skeleton with the container's port.
 */
export function probeToWrite(container: CheckedContainer, kind: ProbeKind): string {
  const liveness = kind === 'startupProbe' ? probeOf(container, 'livenessProbe') : undefined;
  const startup = liveness && startupProbeFor(liveness);
  return startup?.yaml ?? `${kind}: { httpGet: { path: <endpoint>, port: ${portToAsk(container)} } }`;
}

function portToAsk(container: CheckedContainer): string {
  const ports = tcpPortsOf(container.spec);
  const port = ports.find(({ name }) => name === 'http') ?? ports[0];
  return port === undefined ? '<port>' : yamlFlow(port.name ?? port.number);
}
