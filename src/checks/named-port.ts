import { member } from '../json/json-value.ts';
import { didYouMean } from '../text/suggestion.ts';
import { describePorts, isTcp } from '../workload/ports.ts';
import { isPortName } from '../probes/port-name.ts';
import { eachProbe } from './each-probe.ts';
import { oncePerWorkload } from './once-per-workload.ts';
import { containerPhrase, listed } from './wording.ts';
import { quote } from '../text/quote.ts';
import { defineCheck } from './check.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.httpGet.port`, `<probe>.tcpSocket.port` when they are port names; `ports[*].name`, `.protocol` of
 * the same container. gRPC has no named ports.
 *
 * Rule: the same container declares the name, for TCP. The API server accepts any name. The kubelet then fails on every
 * probe and discards the result (pkg/probe/util.go, ResolveContainerPort): liveness never restarts, readiness is never
 * Ready, startup never passes.
 */
export const namedPort = defineCheck({
  id: 'named-port',
  summary:
    'The probe names a port that its container does not declare for TCP, so it errors for ever and does nothing.',
  action: 'Deny',
  run: (workload, container) => eachProbe(container, (probe) => violationOf(workload, container, probe)),
});

function violationOf(workload: CheckedWorkload, container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const name = member(probe.handler, 'port');
  const declared = container.ports;
  if (probe.handlerKind === 'grpc' || typeof name !== 'string' || !isPortName(name) || declared === undefined)
    return undefined;
  if (declared.some((port) => port.name === name && isTcp(port))) return undefined;
  const same = declared.find((port) => port.name === name);
  const message = same === undefined ? undeclared(workload, container, name, declared) : notTcp(container, same);
  return { probe: probe.kind, path: probe.place.path(probe.handlerKind, 'port'), message };
}

function undeclared(
  workload: CheckedWorkload,
  container: CheckedContainer,
  name: string,
  declared: readonly ContainerPort[],
): string {
  const advice = elsewhere(workload, container, name) ?? (nearName(name, declared) || whatThereIs(name, declared));
  return `${containerPhrase(container)} declares no port named ${quote(name)}${advice}`;
}

/**
 * Containers of a Pod share their IP addresses. A probe therefore reaches a port of another container by number, but
 * not by name.
 */
function elsewhere(workload: CheckedWorkload, container: CheckedContainer, name: string): string | undefined {
  for (const { other, number } of declarersOf(workload).get(name) ?? []) {
    if (other.place === container.place) continue;
    const advice = `a probe knows its own container's names only: write port: ${number}`;
    return `; ${containerPhrase(other)} does, but ${advice}`;
  }
  return undefined;
}

interface Declarer {
  readonly other: CheckedContainer;
  readonly number: number;
}

/**
 * The first two containers that declare each TCP port name. The map is built once for each workload, because thousands
 * of containers would otherwise each search all the others.
 */
const declarersOf = oncePerWorkload((workload) => {
  const byName = new Map<string, Declarer[]>();
  for (const other of workload.containers) {
    for (const port of other.ports ?? []) {
      const { name, number } = port;
      if (name === undefined || !isTcp(port)) continue;
      const found = byName.get(name) ?? [];
      if (found.length < 2 && found.at(-1)?.other !== other) byName.set(name, [...found, { other, number }]);
    }
  }
  return byName;
});

function nearName(name: string, declared: readonly ContainerPort[]): string {
  return didYouMean(name, tcpNames(declared));
}

function whatThereIs(name: string, declared: readonly ContainerPort[]): string {
  const usable = declared.filter(isTcp);
  return usable.length === 0
    ? `; write the number, or add { name: ${name}, containerPort: <number> } to its ports`
    : `; it declares ${listed(describePorts(usable))}`;
}

function tcpNames(declared: readonly ContainerPort[]): string[] {
  return declared.flatMap((port) => (isTcp(port) && port.name !== undefined ? [port.name] : []));
}

function notTcp(container: CheckedContainer, { name = '', number, protocol }: ContainerPort): string {
  return (
    `${containerPhrase(container)} declares port ${quote(name)} (${number}) for ${quote(protocol)}, ` +
    'but the kubelet connects over TCP; name one of its TCP ports'
  );
}
