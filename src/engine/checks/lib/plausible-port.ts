import { member, stringMember } from '../../../base/json/json-value.ts';
import { isForTls, isGrpc, protocolOfPort } from '../../workload/port-protocol.ts';
import { isTcp, type ContainerPort } from '../../workload/ports.ts';
import { yamlFlow } from '../check.ts';
import type { FieldEdit } from '../../../base/json/field-path.ts';
import type { CheckedProbe } from '../checked-workload.ts';

/** True unless the port's name or number says that its server speaks another protocol than HTTP. */
export function speaksHttp(port: ContainerPort): boolean {
  return protocolOfPort(port).speaks !== 'other';
}

/** True when a server for this probe may listen on the port, by the port's name and number. */
export function mayAnswer({ handlerKind, handler }: CheckedProbe, port: ContainerPort): boolean {
  if (!isTcp(port)) return false;
  if (handlerKind === 'tcpSocket') return true;
  if (handlerKind === 'grpc') return isGrpc(port);
  if (!speaksHttp(port)) return false;
  return (stringMember(handler, 'scheme') === 'HTTPS') === isForTls(port);
}

/** Advises the only declared port that may answer the probe. Undefined when none or several may. */
export function onlyPortAdvice(
  probe: CheckedProbe,
  declared: readonly ContainerPort[] = [],
): { readonly remedy: string; readonly edits: readonly FieldEdit[] } | undefined {
  const [only, ...others] = declared.filter((port) => mayAnswer(probe, port));
  if (only === undefined || others.length > 0) return undefined;
  return { remedy: `write port: ${yamlFlow(portValue(probe, only))}`, edits: [portEdit(probe, only)] };
}

/** Returns the value to write for a declared port: its name where the handler takes names, else its number. */
export function portValue({ handlerKind, handler }: CheckedProbe, { name, number }: ContainerPort): string | number {
  const takesNames = handlerKind !== 'grpc' && typeof member(handler, 'port') === 'string';
  return takesNames && name !== undefined ? name : number;
}

/** Returns the edit that makes a probe ask a declared port. */
export function portEdit(probe: CheckedProbe, port: ContainerPort): FieldEdit {
  return { path: probe.place.path(probe.handlerKind, 'port'), value: portValue(probe, port) };
}
