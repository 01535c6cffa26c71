import { stringMember } from '../../base/json/json-value.ts';
import { isForwardingProxy } from '../probe/image-name.ts';
import { quote } from '../../base/text/cut.ts';
import { isNamedForMetrics } from '../workload/port-protocol.ts';
import { describePorts, isTcp, type ContainerPort } from '../workload/ports.ts';
import { handlerSkeleton } from './lib/missing-probe.ts';
import { containerPhrase, defineCheck, type Finding } from './check.ts';
import { hasProbe, oncePerWorkload, type CheckedWorkload } from './checked-workload.ts';
import type { TargetPort } from '../facts/services.ts';

/**
 * Without the probe, a container counts as ready as soon as it runs (docs, "Container probes"). A Service for metrics
 * alone does not count: a scrape that fails harms no caller. A proxy in front of another container is a note.
 */
export const serviceReadiness = defineCheck({
  id: 'service-readiness',
  summary: 'A Service sends traffic to a container that has no readiness probe.',
  action: 'Warn',
  requiresProbes: true,
  run: (container): readonly Finding[] => {
    if (hasProbe(container, 'readinessProbe')) return [];
    const { ports } = container;
    if (ports === undefined || ports.length === 0) return [];
    const targets = targetsOf(container.workload);
    const port = targets && ports.find((declared) => targets.has(keyOf(declared.number, declared.protocol)));
    const service = port && targets.get(keyOf(port.number, port.protocol));
    if (port === undefined || service === undefined) return [];
    const [described = ''] = describePorts([port]);
    return [
      {
        probe: 'readinessProbe',
        path: container.place.path('readinessProbe'),
        message: `${containerPhrase(container)} has no readinessProbe, but Service ${quote(service)} sends traffic to its port ${described}`,
        remedy: `write readinessProbe: ${handlerSkeleton(isTcp(port) ? [port] : (container.ports?.filter(isTcp) ?? []))}`,
        ...(isForwardingProxy(stringMember(container.spec, 'image') ?? '') && { level: 'Audit' }),
      },
    ];
  },
});

function keyOf(number: number, protocol: string): string {
  return `${number}/${protocol}`;
}

/**
 * The ports of the Pod that Services send traffic to, each with the first such Service. Undefined when no Service
 * selects the Pods or the Services are unknown. Built once for each workload, because a workload may have thousands of
 * containers and a namespace thousands of Services.
 */
const targetsOf = oncePerWorkload((workload): ReadonlyMap<string, string> | undefined => {
  const services = workload.facts.services?.ofNamespace(workload.namespace);
  if (services === undefined || services.length === 0) return undefined;
  const labels = { get: (key: string) => stringMember(workload.podLabels, key) };
  let ports: PodPorts | undefined;
  let targets: Map<string, string> | undefined;
  for (const service of services) {
    if (!service.needsReadyPods || !service.selectsPods(labels)) continue;
    ports ??= portsOfPod(workload);
    const known = ports;
    const { targetPorts } = service;
    if (targetPorts.every((target) => isForMetrics(target, known))) continue;
    for (const target of targetPorts) {
      const number = typeof target.port === 'number' ? target.port : known.numbers.get(nameKey(target));
      if (number === undefined) continue;
      const key = keyOf(number, target.protocol);
      targets ??= new Map();
      if (!targets.has(key)) targets.set(key, service.name);
    }
  }
  return targets;
});

interface PodPorts {
  /** The port of each name and protocol: the first container counts, then sidecars (pod/util.go, FindPort). */
  readonly numbers: ReadonlyMap<string, number>;
  /** The name of each number and protocol. */
  readonly names: ReadonlyMap<string, string>;
}

function portsOfPod(workload: CheckedWorkload): PodPorts {
  const numbers = new Map<string, number>();
  const names = new Map<string, string>();
  for (const { role, ports } of workload.containers) {
    if (role === 'init' || role === 'ephemeral') continue;
    for (const { name, number, protocol } of ports ?? NO_PORTS) {
      if (name === undefined) continue;
      const key = nameKey({ port: name, protocol });
      if (!numbers.has(key)) numbers.set(key, number);
      if (!names.has(keyOf(number, protocol))) names.set(keyOf(number, protocol), name);
    }
  }
  return { numbers, names };
}

const NO_PORTS: readonly ContainerPort[] = [];

/** True when the Service's port is for metrics: by its own name, or by the name of the container's port. */
function isForMetrics({ port, protocol, says }: TargetPort, { names }: PodPorts): boolean {
  const name = typeof port === 'number' ? names.get(keyOf(port, protocol)) : port;
  return [...says, ...(name === undefined ? [] : [name])].some(isNamedForMetrics);
}

function nameKey({ port, protocol }: Pick<TargetPort, 'port' | 'protocol'>): string {
  return `${port}/${protocol}`;
}
