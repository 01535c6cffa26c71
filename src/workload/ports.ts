import { cut } from '../text/cut.ts';
import { isJsonObject, member, stringMember } from '../probes/json.ts';
import type { JsonObject } from '../probes/json.ts';

/** A port that a container declares. `name` is undefined when it has none. */
export interface ContainerPort {
  readonly name: string | undefined;
  readonly number: number;
  readonly protocol: string;
}

/** The ports that a container declares; entries without a number are left out. The API server's default protocol is TCP. */
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
      name: name === '' ? undefined : name,
      number,
      protocol: protocol === undefined || protocol === '' ? 'TCP' : protocol,
    });
  }
  return ports;
}

/** The declared ports that a probe can connect to: the kubelet dials TCP, whatever the port's protocol says. */
export function tcpPortsOf(container: JsonObject): ContainerPort[] {
  return portsOf(container).filter((port) => port.protocol === 'TCP');
}

/** Of ports that are listed, and of the characters of a name or protocol: nobody reads more, and the API server has not seen them yet. */
const MOST_LISTED = 20;
const MOST_CHARACTERS = 63;

/** Ports as a person names them: `http (8080)`, or `8080` without a name. The last stands for all that are too many to list. */
export function describePorts(ports: readonly ContainerPort[]): string[] {
  const described = ports.slice(0, MOST_LISTED).map(({ name, number, protocol }) => {
    const text = name === undefined ? String(number) : `${cut(name, MOST_CHARACTERS)} (${number})`;
    return protocol === 'TCP' ? text : `${text}/${cut(protocol, MOST_CHARACTERS)}`;
  });
  return ports.length > MOST_LISTED ? [...described, `${ports.length - MOST_LISTED} more`] : described;
}

/** Where a policy's or probe's port stands in a container: the TCP port it means, or why it means none. */
export type PortLookup =
  | { readonly port: ContainerPort }
  | { readonly problem: 'undeclared' | 'not-tcp'; readonly declared: readonly ContainerPort[] };

/** Looks up a declared port by number or by name. A number that is declared for TCP and for UDP is the TCP one. */
export function findPort(declared: readonly ContainerPort[], wanted: number | string): PortLookup {
  const same = declared.filter((port) => (typeof wanted === 'number' ? port.number : port.name) === wanted);
  const tcp = same.find((port) => port.protocol === 'TCP');
  if (tcp !== undefined) return { port: tcp };
  return { problem: same.length > 0 ? 'not-tcp' : 'undeclared', declared };
}
