import { isForwardingProxy } from '../command/image.ts';
import { quote } from '../../base/text/cut.ts';
import { isOfAnother } from '../command/settings.ts';
import { protocolOfPort, purposeOf } from '../port/speaks.ts';
import { isNamedForMetrics, PLAIN_TCP } from '../port/words.ts';
import { describePort, isTcp, type ContainerPort } from '../workload/ports.ts';
import { handlerSkeleton } from './required-any.ts';
import { containerPhrase, defineCheck } from './check.ts';
import { numberOf, oncePerWorkload, selectingServices, type CheckedWorkload } from './checked-workload.ts';
import { textAt } from '../../base/json/field-path.ts';
import { isPod } from '../workload/kinds.ts';
import { hasProbe, type Container } from '../workload/pod.ts';
import { hasControllerOwner } from '../workload/workload-of-pod.ts';

/**
 * Without the probe, a container counts as ready as soon as it runs (docs, "Container probes"). A Service for metrics
 * alone does not count: a scrape that fails harms no caller. A note for a proxy in front of another container, for
 * ports of plain TCP and of UDP, and where no caller is harmed: the start has a startup probe, there is never a second
 * Pod for the traffic, or the Service only names the Pods of its StatefulSet.
 */
export const serviceReadiness = defineCheck({
  id: 'service-readiness',
  summary: 'A Service sends traffic to a container that has no readiness probe.',
  action: 'Warn',
  requiresProbes: true,
  run: (container, _, workload) => {
    const { ports = [] } = container;
    if (ports.length === 0 || hasProbe(container, 'readinessProbe') || container.once(purposeOf)?.speaks === 'metrics')
      return undefined;
    const targets = targetsOf(workload);
    const serviceOf = ({ number, protocol }: ContainerPort): string | undefined => targets.get(keyOf(number, protocol));
    const governing = textAt(workload.object, 'spec', 'serviceName');
    const targeted = ports.filter((declared) => serviceOf(declared) !== undefined);
    const tcp = targeted.filter(isTcp);
    const port = tcp.find(({ name = '' }) => !isForScrapes(name)) ?? tcp[0] ?? targeted[0];
    if (port === undefined) return undefined;
    const { services } = workload;
    // Nobody knows a question to a server of plain TCP, and the kubelet asks nothing over UDP.
    const isMute = tcp.every((one) => protocolOfPort(one, container, services).protocol === PLAIN_TCP);
    // A known protocol is asked at the port of the message; among others, the one that most probably speaks HTTP.
    const { speaks, protocol } = protocolOfPort(port, container, services);
    const isKnown = speaks === 'other';
    // A broker names its own port in variables, too.
    const isOwn = container.once(purposeOf)?.protocol === protocol;
    const askable = tcp.length === 0 ? ports.filter(isTcp) : isKnown ? [port] : tcp;
    // Then readiness would spare callers nothing but a hang of a Pod that is up.
    const isCalled = targeted.some((one) => serviceOf(one) !== governing);
    const isHarmless = hasProbe(container, 'startupProbe') || !isCalled || isAlone(workload);
    return {
      probe: 'readinessProbe',
      path: container.place.path('readinessProbe'),
      message: `${containerPhrase(container)} has no readinessProbe, but Service ${quote(serviceOf(port) ?? '')} sends traffic to its port ${describePort(port)}`,
      remedy:
        isKnown && !isOwn && isOfAnotherProgram(container, port.number)
          ? `write a readinessProbe that asks this container: its settings name port ${port.number} of another program`
          : askable.length > 0
            ? `write readinessProbe: ${handlerSkeleton(container, askable, services)}`
            : `write a readinessProbe with an exec command: no other handler asks ${port.protocol}`,
      ...((isMute || isForwardingProxy(container.image) || isHarmless) && { level: 'Audit' }),
    };
  },
});

/**
 * True where a setting names the number at another host: `amqp://broker:5672` in a client that declares 5672. An
 * address that the container advertises is its own.
 */
function isOfAnotherProgram(container: Container, number: number): boolean {
  const address = new RegExp(
    `(?:^|[/@,])(?!localhost|127\\.|0\\.0\\.0\\.0|\\[?::)[\\w.-]{1,253}:${number}(?!\\d)`,
    'i',
  );
  return container.settings().some(({ name, value = '' }) => {
    if (/advertis|announce/i.test(name)) return false;
    if (value === String(number)) return isOfAnother(name);
    return value.includes(`:${number}`) && address.test(value);
  });
}

/** True for the name of a port for metrics, and of an exporter, which has nothing else. */
const isForScrapes = (name: string): boolean => isNamedForMetrics(name) || /(?:^|-)exporter/.test(name);

/**
 * True for one Pod that is gone before the next one starts: no other Pod can take its traffic. A ReplicationController
 * and a Pod of nobody have no rollout.
 */
function isAlone(workload: CheckedWorkload): boolean {
  const { kind, object } = workload;
  if (isPod(kind)) return !hasControllerOwner(object);
  const stopsFirst = /^(?:StatefulSet|ReplicationController)$/.test(kind.kind);
  const isReplaced = textAt(object, 'spec', 'strategy', 'type') === 'Recreate';
  return (stopsFirst || isReplaced) && (numberOf(workload, 'replicas') ?? 1) <= 1;
}

function keyOf(port: number | string, protocol: string): string {
  return `${port}/${protocol}`;
}

/** The name of the first Service that sends traffic to a port, by number and protocol. */
const targetsOf = oncePerWorkload((workload): ReadonlyMap<string, string> => {
  let ports: ReadonlyMap<string, ContainerPort> | undefined;
  const targets = new Map<string, string>();
  const governing = textAt(workload.object, 'spec', 'serviceName');
  // A Service for callers says more than the one that only names the Pods.
  for (const service of selectingServices(workload).toSorted(
    (a, b) => Number(a.name === governing) - Number(b.name === governing),
  )) {
    if (!service.needsReadyPods) continue;
    const known = (ports ??= namedPorts(workload));
    const asked = service.targetPorts.map((target) => ({
      ...target,
      declared: known.get(keyOf(target.port, target.protocol)),
    }));
    if (asked.every(({ port, says, declared }) => [...says, declared?.name ?? String(port)].some(isForScrapes)))
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
