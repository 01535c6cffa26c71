import { cut } from '../../base/text/cut.ts';
import { DEFAULT_PROTOCOL } from '../probe/api-defaults.ts';
import { isJsonObject, listMember, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { MOST_TEXT_CHARACTERS } from './bounded-container.ts';

/** A port that a container declares. `name` is undefined when it has none. */
export interface ContainerPort {
  readonly name: string | undefined;
  readonly number: number;
  readonly protocol: string;
  /** The port of the node that leads to this one, if there is one. */
  readonly hostPort?: number;
}

/** The ports that a container declares, with a number. A name that is longer than checks read counts as none. */
export function portsOf(container: JsonObject): ContainerPort[] {
  return listMember(container, 'ports').flatMap((entry): ContainerPort[] => {
    const number = isJsonObject(entry) ? member(entry, 'containerPort') : undefined;
    if (!isJsonObject(entry) || typeof number !== 'number') return [];
    const name = stringMember(entry, 'name') ?? '';
    const isUsable = name !== '' && name.length <= MOST_TEXT_CHARACTERS;
    const protocol = stringMember(entry, 'protocol') || DEFAULT_PROTOCOL;
    const hostPort = member(entry, 'hostPort');
    return [{ name: isUsable ? name : undefined, number, protocol, ...(typeof hostPort === 'number' && { hostPort }) }];
  });
}

export function isTcp({ protocol }: ContainerPort): boolean {
  return protocol === 'TCP';
}

/** Most ports in a message, and most characters of a name or protocol: the API server limits them later. */
export const MOST_LISTED = 20;
const MOST_CHARACTERS = 63;

/** A port for people: `http (8080)`, or `8080` without a name. */
export function describePort({ name, number, protocol }: ContainerPort): string {
  const text = name === undefined ? String(number) : `${cut(name, MOST_CHARACTERS)} (${number})`;
  return protocol === 'TCP' ? text : `${text}/${cut(protocol, MOST_CHARACTERS)}`;
}

/** Ports for people. The last entry counts the ports that are not listed. */
export function describePorts(ports: readonly ContainerPort[]): string[] {
  const described = ports.slice(0, MOST_LISTED).map(describePort);
  return ports.length > MOST_LISTED ? [...described, `${ports.length - MOST_LISTED} more`] : described;
}

/** True when a port of any protocol has the number or the name. */
export function isDeclared(declared: readonly ContainerPort[], wanted: number | string): boolean {
  return declared.some((port) => isMeant(port, wanted));
}

/** The declared TCP port that a policy's or probe's port means: a number or a name. */
export function findPort(declared: readonly ContainerPort[], wanted: number | string): ContainerPort | undefined {
  return declared.find((port) => isTcp(port) && isMeant(port, wanted));
}

function isMeant({ name, number }: ContainerPort, wanted: number | string): boolean {
  return number === wanted || name === wanted;
}
