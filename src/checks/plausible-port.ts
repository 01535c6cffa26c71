import { member, stringMember } from '../json/json-value.ts';
import { isTcp } from '../workload/ports.ts';
import type { FieldEdit } from '../json/field-edit.ts';
import type { ContainerPort } from '../workload/ports.ts';
import type { CheckedProbe } from './checked-probe.ts';

/**
 * Words in the names of ports whose servers do not speak HTTP. Kubernetes has no registry of port names; the words are
 * the protocols and products of IANA's service names that containers commonly declare.
 */
const NOT_HTTP_WORDS: ReadonlySet<string> = new Set([
  'amqp',
  'cql',
  'dns',
  'ftp',
  'grpc',
  'kafka',
  'ldap',
  'memcached',
  'mongo',
  'mongodb',
  'mqtt',
  'mysql',
  'nats',
  'postgres',
  'postgresql',
  'redis',
  'sftp',
  'smtp',
  'ssh',
  'tcp',
  'udp',
  'zookeeper',
]);

/** Port numbers that IANA assigns to protocols other than HTTP and that containers commonly declare. */
const NOT_HTTP_NUMBERS: ReadonlySet<number> = new Set([
  21, 22, 25, 53, 389, 636, 1433, 1883, 2181, 3306, 4222, 5432, 5671, 5672, 6379, 8883, 9042, 9092, 11211, 27017, 50051,
]);

const TLS_NUMBERS: ReadonlySet<number> = new Set([443, 8443, 9443]);

/** True unless the port's name or number says that its server speaks another protocol than HTTP. */
export function speaksHttp({ name, number }: ContainerPort): boolean {
  return !NOT_HTTP_NUMBERS.has(number) && !wordsOf(name).some((word) => NOT_HTTP_WORDS.has(word));
}

/** True when the port's name says that its server speaks gRPC. */
export function isGrpc({ name }: ContainerPort): boolean {
  return wordsOf(name).includes('grpc');
}

function wordsOf(name: string | undefined): readonly string[] {
  return (name ?? '').toLowerCase().split('-');
}

/**
 * True when a server of this kind of probe may listen on the port, judging by the port's name and number. Advice names
 * no other port: httpGet on a port of Redis never succeeds.
 */
export function mayAnswer({ handlerKind, handler }: CheckedProbe, port: ContainerPort): boolean {
  if (!isTcp(port)) return false;
  if (handlerKind === 'tcpSocket') return true;
  if (handlerKind === 'grpc') return isGrpc(port);
  if (!speaksHttp(port)) return false;
  const words = wordsOf(port.name);
  const wantsTls = stringMember(handler, 'scheme') === 'HTTPS';
  const isTls = words.includes('https') || words.includes('tls') || TLS_NUMBERS.has(port.number);
  return wantsTls === isTls;
}

/** Returns the only declared port that may answer the probe. Undefined when none or several may. */
export function onlyPlausiblePort(
  probe: CheckedProbe,
  declared: readonly ContainerPort[] | undefined,
): ContainerPort | undefined {
  const plausible = declared?.filter((port) => mayAnswer(probe, port)) ?? [];
  return plausible.length === 1 ? plausible[0] : undefined;
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
