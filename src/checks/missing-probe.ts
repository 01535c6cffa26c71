import { boolean, choice } from '../policy/check-parameters.ts';
import { tcpPortsOf } from '../workload/ports.ts';
import { containerRunsForever } from '../workload/restart-policy.ts';
import { probeOf } from './checked-probe.ts';
import { startupProbeFor } from './startup-probe.ts';
import { yamlFlow } from './wording.ts';
import type { ProbeKind } from '../probes/probe.ts';
import type { ValuesOf } from '../policy/check-parameters.ts';
import type { CheckedContainer, CheckedWorkload } from './check.ts';

/** Parameters that select the containers for a check that requires a probe. */
export const concernedParameters = {
  containers: choice({
    choices: ['main', 'all'],
    default: 'main',
    text:
      'Which containers must have it: main (the default) is the main container, as docs/defaulting.md finds it; ' +
      'all is every application container.',
  }),
  sidecars: boolean({ default: false, text: 'true: native sidecars must have it too. Default false.' }),
};

/**
 * True when a check that requires a probe applies to this container. Such checks apply only to workloads and containers
 * that run until they are deleted. They apply to the main container, or with `containers: all` to every application
 * container. With `sidecars: true` they also apply to sidecars. When the main container cannot be identified,
 * `containers: main` selects no application container.
 */
export function isConcerned(
  workload: CheckedWorkload,
  container: CheckedContainer,
  parameters: ValuesOf<typeof concernedParameters>,
): boolean {
  if (!workload.runsForever) return false;
  if (container.role === 'sidecar') return parameters.sidecars;
  if (container.role !== 'application' || !containerRunsForever(container.spec)) return false;
  return parameters.containers === 'all' || container.name === workload.main;
}

/**
 * Returns the probe to write. With a liveness probe, a startup probe is complete; otherwise the text is a skeleton with
 * the container's port.
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
