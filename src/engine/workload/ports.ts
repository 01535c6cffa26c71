import { cut } from '../../base/text/cut.ts';
import { DEFAULT_PROTOCOL } from '../probe/api-defaults.ts';
import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { MOST_TEXT_CHARACTERS } from './bounded-container.ts';

/** A port that a container declares. `name` is undefined when it has none. */
export interface ContainerPort {
  readonly name: string | undefined;
  readonly number: number;
  readonly protocol: string;
}

/**
 * The ports that a container declares; entries without a number are left out. The API server's default protocol is TCP.
 * A name that is longer than checks read counts as none: no API server accepts such a name.
 */
export function portsOf(container: JsonObject): ContainerPort[] {
  const entries = member(container, 'ports');
  if (!Array.isArray(entries)) return [];
  const ports: ContainerPort[] = [];
  for (const entry of entries as unknown[]) {
    if (!isJsonObject(entry)) continue;
    const number = member(entry, 'containerPort');
    if (typeof number !== 'number') continue;
    const name = stringMember(entry, 'name');
    const protocol = stringMember(entry, 'protocol');
    ports.push({
      name: name === undefined || name === '' || name.length > MOST_TEXT_CHARACTERS ? undefined : name,
      number,
      protocol: protocol === undefined || protocol === '' ? DEFAULT_PROTOCOL : protocol,
    });
  }
  return ports;
}

/** True for a port that a probe can connect to: the kubelet dials TCP. */
export function isTcp({ protocol }: ContainerPort): boolean {
  return protocol === 'TCP';
}

/** The declared ports that a probe can connect to. */
export function tcpPortsOf(container: JsonObject): ContainerPort[] {
  return portsOf(container).filter(isTcp);
}

/**
 * Most ports in a message, and most characters of a name or protocol: the API server has not limited their number yet.
 */
export const MOST_LISTED = 20;
const MOST_CHARACTERS = 63;

/** Ports for people: `http (8080)`, or `8080` without a name. The last entry counts the ports that are not listed. */
export function describePorts(ports: readonly ContainerPort[]): string[] {
  const described = ports.slice(0, MOST_LISTED).map(({ name, number, protocol }) => {
    const text = name === undefined ? String(number) : `${cut(name, MOST_CHARACTERS)} (${number})`;
    return protocol === 'TCP' ? text : `${text}/${cut(protocol, MOST_CHARACTERS)}`;
  });
  return ports.length > MOST_LISTED ? [...described, `${ports.length - MOST_LISTED} more`] : described;
}

/** The declared TCP port that a policy's or probe's port means, or why there is none. */
export type PortLookup =
  | { readonly port: ContainerPort }
  | { readonly problem: 'undeclared' | 'not-tcp'; readonly declared: readonly ContainerPort[] };

/** Looks up a declared port by number or by name. Of a number that is declared for TCP and UDP, the TCP port counts. */
export function findPort(declared: readonly ContainerPort[], wanted: number | string): PortLookup {
  const same = declared.filter((port) => (typeof wanted === 'number' ? port.number : port.name) === wanted);
  const tcp = same.find(isTcp);
  if (tcp !== undefined) return { port: tcp };
  return { problem: same.length > 0 ? 'not-tcp' : 'undeclared', declared };
}

/**
 * The port name that an httpGet or tcpSocket probe asks for and its container declares for no protocol; undefined for a
 * probe whose port the kubelet finds.
 */
export function undeclaredPortName(container: JsonObject, probe: JsonObject): string | undefined {
  const handler = objectMember(probe, 'httpGet') ?? objectMember(probe, 'tcpSocket');
  const port = handler && member(handler, 'port');
  if (typeof port !== 'string') return undefined;
  const lookup = findPort(portsOf(container), port);
  return 'problem' in lookup && lookup.problem === 'undeclared' ? port : undefined;
}
