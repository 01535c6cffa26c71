import { isForwardingProxy } from '../probe/image-name.ts';
import { quote } from '../../base/text/cut.ts';
import { isNamedForMetrics } from '../workload/port-protocol.ts';
import { describePort, isTcp, type ContainerPort } from '../workload/ports.ts';
import { handlerSkeleton } from './lib/missing-probe.ts';
import { containerPhrase, defineCheck } from './check.ts';
import { oncePerWorkload, type CheckedWorkload } from './checked-workload.ts';
import { hasProbe } from '../workload/pod.ts';

/**
 * Without the probe, a container counts as ready as soon as it runs (docs, "Container probes"). A Service for metrics
 * alone does not count: a scrape that fails harms no caller. A proxy in front of another container is a note.
 */
export const serviceReadiness = defineCheck({
  id: 'service-readiness',
  summary: 'A Service sends traffic to a container that has no readiness probe.',
  action: 'Warn',
  requiresProbes: true,
  run: (container, _, workload) => {
    const { ports = [] } = container;
    if (ports.length === 0 || hasProbe(container, 'readinessProbe')) return undefined;
    const targets = targetsOf(workload);
    const port = ports.find((declared) => targets.has(keyOf(declared.number, declared.protocol)));
    const service = port && targets.get(keyOf(port.number, port.protocol));
    if (port === undefined || service === undefined) return undefined;
    return {
      probe: 'readinessProbe',
      path: container.place.path('readinessProbe'),
      message: `${containerPhrase(container)} has no readinessProbe, but Service ${quote(service)} sends traffic to its port ${describePort(port)}`,
      remedy: `write readinessProbe: ${handlerSkeleton(isTcp(port) ? [port] : ports.filter(isTcp))}`,
      ...(isForwardingProxy(container.image) && { level: 'Audit' }),
    };
  },
});

function keyOf(port: number | string, protocol: string): string {
  return `${port}/${protocol}`;
}

/** The name of the first Service that sends traffic to a port, by number and protocol. */
const targetsOf = oncePerWorkload((workload): ReadonlyMap<string, string> => {
  let ports: ReadonlyMap<string, ContainerPort> | undefined;
  const targets = new Map<string, string>();
  for (const service of workload.facts.services?.ofNamespace(workload.namespace) ?? []) {
    if (!service.needsReadyPods || !service.selectsPods(workload.pod.labels)) continue;
    const known = (ports ??= namedPorts(workload));
    const asked = service.targetPorts.map((target) => ({
      ...target,
      declared: known.get(keyOf(target.port, target.protocol)),
    }));
    if (asked.every(({ port, says, declared }) => [...says, declared?.name ?? String(port)].some(isNamedForMetrics)))
      continue;
    for (const { port, protocol, declared } of asked) {
      const number = typeof port === 'number' ? port : declared?.number;
      const key = number === undefined ? undefined : keyOf(number, protocol);
      if (key !== undefined && !targets.has(key)) targets.set(key, service.name);
    }
  }
  return targets;
});

/** By name and by number, each with the protocol: the first container counts, then sidecars (pod/util.go, FindPort). */
function namedPorts({ pod }: CheckedWorkload): ReadonlyMap<string, ContainerPort> {
  const named = new Map<string, ContainerPort>();
  for (const { role, ports = [] } of pod.containers) {
    if (role === 'init' || role === 'ephemeral') continue;
    for (const port of ports)
      for (const step of port.name === undefined ? [] : [port.name, port.number]) {
        const key = keyOf(step, port.protocol);
        if (!named.has(key)) named.set(key, port);
      }
  }
  return named;
}
