import { suggestion } from '../../base/text/suggestion.ts';
import { describePort, findPort, isTcp, type ContainerPort } from '../workload/ports.ts';
import { isPortName } from '../probe/handler-values.ts';
import { mayAnswer, onlyPortAdvice, portEdit } from './lib/probe-port.ts';
import { containerPhrase, defineCheck, firstListed, located, quotedValue, type Advice, type Finding } from './check.ts';
import { quote } from '../../base/text/cut.ts';
import type { CheckedWorkload } from './checked-workload.ts';
import type { Probe } from '../workload/pod.ts';

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
  eachProbe: (probe, _, workload) => {
    const { container, handler } = probe;
    if (handler.kind === 'exec' || handler.kind === 'grpc' || container.ports === undefined) return undefined;
    const name = handler.port;
    if (typeof name !== 'string' || !isPortName(name)) return undefined;
    if (findPort(container.ports, name) !== undefined) return undefined;
    return { ...located(probe, handler.kind, 'port'), ...told(probe, name, container.ports, workload) };
  },
});

type Told = Pick<Finding, 'message' | 'remedy' | 'edits'>;

/** Containers of a Pod share one IP, so a probe reaches another container's port by number, not by name. */
function told(probe: Probe, name: string, declared: readonly ContainerPort[], { pod }: CheckedWorkload): Told {
  const { container } = probe;
  const same = declared.find((port) => port.name === name);
  if (same !== undefined) {
    const port = `${quote(name)} (${same.number}) for ${quotedValue(same.protocol)}`;
    const message = `${containerPhrase(container)} declares port ${port}, but the kubelet connects over TCP`;
    return { message, ...declaredPortAdvice(probe, declared) };
  }
  const message = `${containerPhrase(container)} declares no port named ${quote(name)}`;
  for (const other of pod.containers) {
    const port = findPort(other.ports ?? [], name);
    if (port !== undefined)
      return {
        message: `${message}, but ${containerPhrase(other)} does`,
        remedy: `write port: ${port.number}, because a probe knows only the port names of its own container`,
      };
  }
  const near = suggestion(
    name,
    declared.flatMap((port) => (isTcp(port) && port.name) || []),
  );
  const port = near === undefined ? undefined : findPort(container.ports ?? [], near);
  if (port === undefined) return { message, ...declaredPortAdvice(probe, declared) };
  return {
    message,
    remedy: `did you mean "${near}"?`,
    ...(mayAnswer(probe, port) && { edits: [portEdit(probe, port)] }),
  };
}

function declaredPortAdvice(probe: Probe, declared: readonly ContainerPort[]): Advice {
  const usable = declared.filter(isTcp).map(describePort);
  const remedy =
    usable.length > 0
      ? `write one of its TCP ports: ${firstListed(usable, 'or')}`
      : 'declare the port in ports, with its name and number, or write the number';
  return onlyPortAdvice(probe) ?? { remedy };
}
