import { isPortNumber } from '../../probe/handler-values.ts';
import { protocolOfPort } from '../../port/speaks.ts';
import { isForTls } from '../../port/tls.ts';
import { isGrpc } from '../../port/words.ts';
import { NO_SERVICES } from '../../facts/services.ts';
import { findPort, isTcp, type ContainerPort } from '../../workload/ports.ts';
import { yamlFlow, type Advice } from '../check.ts';
import type { FieldEdit } from '../../../base/json/field-path.ts';
import type { Probe } from '../../workload/pod.ts';

/** The port of the Pod that a probe asks, and the declared TCP port that it means, if there is one. */
export interface AskedPort {
  readonly number: number;
  readonly declared: ContainerPort | undefined;
}

/** Undefined for a command, for another host than the Pod, and for a name that the container does not declare. */
export function askedPort({ container, handler }: Probe): AskedPort | undefined {
  if (handler.kind === 'exec' || (handler.kind !== 'grpc' && handler.host !== '')) return undefined;
  const wanted = handler.port;
  const declared =
    typeof wanted === 'string' || isPortNumber(wanted) ? findPort(container.ports ?? [], wanted) : undefined;
  if (declared !== undefined) return { number: declared.number, declared };
  return isPortNumber(wanted) ? { number: wanted, declared } : undefined;
}

/** True when a server for this probe may listen on the port, by the port's name and number. */
export function mayAnswer({ handler, container }: Probe, port: ContainerPort): boolean {
  if (!isTcp(port)) return false;
  if (handler.kind === 'tcpSocket') return true;
  if (handler.kind === 'grpc') return isGrpc(port);
  const isOther = protocolOfPort(port, container, NO_SERVICES).speaks === 'other';
  return !isOther && (handler.kind === 'httpGet' && handler.scheme === 'HTTPS') === isForTls(port);
}

/** Advises the only declared port that may answer the probe. Undefined when none or several may. */
export function onlyPortAdvice(probe: Probe): Advice | undefined {
  const [only, ...others] = probe.container.ports?.filter((port) => mayAnswer(probe, port)) ?? [];
  if (only === undefined || others.length > 0) return undefined;
  return { remedy: `write port: ${yamlFlow(portValue(probe, only))}`, edits: [portEdit(probe, only)] };
}

/** Returns the value to write for a declared port: its name where the handler takes names, else its number. */
export function portValue({ handler }: Probe, { name, number }: ContainerPort): string | number {
  const takesNames = handler.kind !== 'exec' && handler.kind !== 'grpc' && typeof handler.port === 'string';
  return takesNames && name !== undefined ? name : number;
}

/** Returns the edit that makes a probe ask a declared port. */
export function portEdit(probe: Probe, port: ContainerPort): FieldEdit {
  return { path: probe.place.path(probe.handler.kind, 'port'), value: portValue(probe, port) };
}
