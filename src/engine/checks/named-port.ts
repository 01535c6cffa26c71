import { member } from '../../base/json/json-value.ts';
import { suggestion } from '../../base/text/suggestion.ts';
import { describePorts, isTcp, type ContainerPort } from '../workload/ports.ts';
import { isPortName } from '../probe/handler-values.ts';
import { mayAnswer, onlyPortAdvice, portEdit } from './lib/plausible-port.ts';
import { containerPhrase, defineCheck, firstListed, located, quotedValue, type Finding } from './check.ts';
import { quote } from '../../base/text/cut.ts';
import { oncePerWorkload, type CheckedContainer, type CheckedProbe } from './checked-workload.ts';

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
  const elsewhere = declarersOf(probe.container.workload)
    .get(name)
    ?.find(({ other }) => other.place !== probe.container.place);
  if (elsewhere !== undefined)
    return {
      message: `${message}, but ${containerPhrase(elsewhere.other)} does`,
      remedy: `write port: ${elsewhere.number}, because a probe knows only the port names of its own container`,
    };
  const near = suggestion(name, tcpNames(declared));
  if (near === undefined) return { message, ...declaredPortAdvice(probe, declared) };
  const port = declared.find((candidate) => candidate.name === near && isTcp(candidate));
  const isSafe = port !== undefined && mayAnswer(probe, port);
  return { message, remedy: `did you mean "${near}"?`, ...(isSafe && { edits: [portEdit(probe, port)] }) };
}

interface Declarer {
  readonly other: CheckedContainer;
  readonly number: number;
}

/** The first two containers that declare each TCP port name, found once for thousands of containers. */
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
