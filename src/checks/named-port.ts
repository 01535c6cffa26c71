import { member } from '../probes/json.ts';
import { didYouMean } from '../policy/suggestion.ts';
import { describePorts } from '../workload/ports.ts';
import { isPortName } from '../probes/port-name.ts';
import { eachProbe } from './each-probe.ts';
import { oncePerWorkload } from './once-per-workload.ts';
import { listed, the } from './wording.ts';
import { quote } from '../text/quote.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { Check, CheckedContainer, CheckedWorkload, Finding } from './check.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Fields: `<probe>.httpGet.port`, `<probe>.tcpSocket.port` when they are port names; `ports[*].name`, `.protocol` of
 * the same container. gRPC has no named ports.
 *
 * Rule: the container itself must declare the name, for TCP. The API server accepts any name; the kubelet then errors
 * on every probe and throws the result away (pkg/probe/util.go, ResolveContainerPort): liveness never restarts,
 * readiness is never Ready, startup never passes.
 */
export const namedPort: Check = {
  id: 'named-port',
  run: (workload, container) => eachProbe(container, (probe) => judge(workload, container, probe)),
};

function judge(workload: CheckedWorkload, container: CheckedContainer, probe: CheckedProbe): Finding | undefined {
  const name = member(probe.handler, 'port');
  const declared = container.ports;
  if (probe.handlerKind === 'grpc' || typeof name !== 'string' || !isPortName(name) || declared === undefined)
    return undefined;
  if (declared.some((port) => port.name === name && port.protocol === 'TCP')) return undefined;
  const same = declared.find((port) => port.name === name);
  const message = same === undefined ? undeclared(workload, container, name, declared) : notTcp(container, same);
  return { probe: probe.kind, path: `${probe.handlerPath}.port`, message };
}

function undeclared(
  workload: CheckedWorkload,
  container: CheckedContainer,
  name: string,
  declared: readonly ContainerPort[],
): string {
  const advice = elsewhere(workload, container, name) ?? (nearName(name, declared) || whatThereIs(name, declared));
  return `${the(container)} declares no port named ${quote(name)}${advice}`;
}

/**
 * Containers of a Pod share their addresses, so the number reaches the port that another container declares; its name
 * does not.
 */
function elsewhere(workload: CheckedWorkload, container: CheckedContainer, name: string): string | undefined {
  for (const { other, number } of declarersOf(workload).get(name) ?? []) {
    if (other.path !== container.path)
      return `; ${the(other)} does, but a probe knows its own container's names only: write port: ${number}`;
  }
  return undefined;
}

interface Declarer {
  readonly other: CheckedContainer;
  readonly number: number;
}

/** The first two containers that declare each TCP port name: made once a workload, or thousands of containers would each search all others. */
const declarersOf = oncePerWorkload((workload) => {
  const byName = new Map<string, Declarer[]>();
  for (const other of workload.containers) {
    for (const { name, number, protocol } of other.ports ?? []) {
      if (name === undefined || protocol !== 'TCP') continue;
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
  const usable = declared.filter((port) => port.protocol === 'TCP');
  return usable.length === 0
    ? `; write the number, or add { name: ${name}, containerPort: <number> } to its ports`
    : `; it declares ${listed(describePorts(usable))}`;
}

function tcpNames(declared: readonly ContainerPort[]): string[] {
  return declared.flatMap((port) => (port.protocol === 'TCP' && port.name !== undefined ? [port.name] : []));
}

function notTcp(container: CheckedContainer, { name = '', number, protocol }: ContainerPort): string {
  return (
    `${the(container)} declares port ${quote(name)} (${number}) for ${quote(protocol)}, but the kubelet connects over TCP; ` +
    'name one of its TCP ports'
  );
}
