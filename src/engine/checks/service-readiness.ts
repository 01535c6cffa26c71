import { stringMember } from '../../base/json/json-value.ts';
import { isForwardingProxy } from '../probe/image-name.ts';
import { quote } from '../../base/text/cut.ts';
import { isNamedForMetrics } from '../workload/port-protocol.ts';
import { describePorts, isTcp } from '../workload/ports.ts';
import { handlerSkeleton } from './lib/missing-probe.ts';
import { containerPhrase, defineCheck } from './check.ts';
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
  run: (container) => {
    const { ports = [] } = container;
    if (ports.length === 0 || hasProbe(container, 'readinessProbe')) return undefined;
    const targets = targetsOf(container.workload);
    const port = ports.find((declared) => targets.has(keyOf(declared.number, declared.protocol)));
    const service = port && targets.get(keyOf(port.number, port.protocol));
    if (port === undefined || service === undefined) return undefined;
    return {
      probe: 'readinessProbe',
      path: container.place.path('readinessProbe'),
      message: `${containerPhrase(container)} has no readinessProbe, but Service ${quote(service)} sends traffic to its port ${describePorts([port]).join('')}`,
      remedy: `write readinessProbe: ${handlerSkeleton(isTcp(port) ? [port] : ports.filter(isTcp))}`,
      ...(isForwardingProxy(stringMember(container.spec, 'image') ?? '') && { level: 'Audit' }),
    };
  },
});

function keyOf(port: number | string, protocol: string): string {
  return `${port}/${protocol}`;
}

const targetsOf = oncePerWorkload((workload): ReadonlyMap<string, string> => {
  const labels = { get: (key: string) => stringMember(workload.podLabels, key) };
  let ports: PodPorts | undefined;
  const targets = new Map<string, string>();
  for (const service of workload.facts.services?.ofNamespace(workload.namespace) ?? []) {
    if (!service.needsReadyPods || !service.selectsPods(labels)) continue;
    const known = (ports ??= portsOfPod(workload));
    const { targetPorts } = service;
    if (targetPorts.every((target) => isForMetrics(target, known))) continue;
    for (const { port, protocol } of targetPorts) {
      const number = typeof port === 'number' ? port : known.numbers.get(keyOf(port, protocol));
      const key = number === undefined ? undefined : keyOf(number, protocol);
      if (key !== undefined && !targets.has(key)) targets.set(key, service.name);
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
    for (const { name, number, protocol } of ports ?? []) {
      if (name === undefined) continue;
      const key = keyOf(name, protocol);
      if (!numbers.has(key)) numbers.set(key, number);
      if (!names.has(keyOf(number, protocol))) names.set(keyOf(number, protocol), name);
    }
  }
  return { numbers, names };
}

function isForMetrics({ port, protocol, says }: TargetPort, { names }: PodPorts): boolean {
  const name = typeof port === 'number' ? names.get(keyOf(port, protocol)) : port;
  return [...says, ...(name === undefined ? [] : [name])].some(isNamedForMetrics);
}
