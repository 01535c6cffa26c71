import { member } from '../../base/json/json-value.ts';
import { suggestion } from '../../base/text/suggestion.ts';
import { describePorts, isTcp, type ContainerPort } from '../workload/ports.ts';
import { isPortName } from '../probe/handler-values.ts';
import { mayAnswer, onlyPortAdvice, portEdit } from './lib/plausible-port.ts';
import { containerPhrase, defineCheck, firstListed, located, quotedValue, type Finding } from './check.ts';
import { quote } from '../../base/text/cut.ts';
import type { CheckedContainer, CheckedProbe } from './checked-workload.ts';

/**
 * The API server accepts any name. The kubelet discards the error (pkg/probe/util.go, ResolveContainerPort): liveness
 * never restarts, readiness is never Ready, startup never passes.
 */
export const namedPort = defineCheck({
  id: 'named-port',
  summary:
    'The probe names a port that its container does not declare for TCP, so every probe errors and has no effect.',
  action: 'Deny',
  cannotWork: true,
  eachProbe: (probe) => {
    const name = member(probe.handler, 'port');
    const declared = probe.container.ports;
    if (probe.handlerKind === 'grpc' || typeof name !== 'string' || !isPortName(name) || declared === undefined)
      return undefined;
    if (declared.some((port) => port.name === name && isTcp(port))) return undefined;
    const same = declared.find((port) => port.name === name);
    const told =
      same === undefined
        ? undeclared(probe, name, declared)
        : { message: notTcp(probe.container, same), ...declaredPortAdvice(probe, declared) };
    return { ...located(probe, probe.handlerKind, 'port'), ...told };
  },
});

type Told = Pick<Finding, 'message' | 'remedy' | 'edits'>;

/** Containers of a Pod share one IP, so a probe reaches another container's port by number, not by name. */
function undeclared(probe: CheckedProbe, name: string, declared: readonly ContainerPort[]): Told {
  const message = `${containerPhrase(probe.container)} declares no port named ${quote(name)}`;
  for (const other of probe.container.workload.containers) {
    const port = other.ports?.find((candidate) => candidate.name === name && isTcp(candidate));
    if (port === undefined || other.place === probe.container.place) continue;
    return {
      message: `${message}, but ${containerPhrase(other)} does`,
      remedy: `write port: ${port.number}, because a probe knows only the port names of its own container`,
    };
  }
  const near = suggestion(name, tcpNames(declared));
  if (near === undefined) return { message, ...declaredPortAdvice(probe, declared) };
  const port = declared.find((candidate) => candidate.name === near && isTcp(candidate));
  const isSafe = port !== undefined && mayAnswer(probe, port);
  return { message, remedy: `did you mean "${near}"?`, ...(isSafe && { edits: [portEdit(probe, port)] }) };
}

function declaredPortAdvice(probe: CheckedProbe, declared: readonly ContainerPort[]): Omit<Told, 'message'> {
  const only = onlyPortAdvice(probe, declared);
  if (only !== undefined) return only;
  const usable = declared.filter(isTcp);
  if (usable.length > 0)
    return { remedy: `write one of its TCP ports: ${firstListed(describePorts(usable), 'or', usable.length)}` };
  return { remedy: 'declare the port in ports, with its name and number, or write the number' };
}

function tcpNames(declared: readonly ContainerPort[]): string[] {
  return declared.flatMap((port) => (isTcp(port) && port.name !== undefined ? [port.name] : []));
}

function notTcp(container: CheckedContainer, { name = '', number, protocol }: ContainerPort): string {
  return (
    `${containerPhrase(container)} declares port ${quote(name)} (${number}) for ${quotedValue(protocol)}, ` +
    'but the kubelet connects over TCP'
  );
}
