import { causesOfEach, duplicate, invalid, notSupported, required } from './api-cause.ts';
import { goInteger, goObjects, goString } from './go-values.ts';
import { member } from './json.ts';
import { isPortName } from './port-name.ts';
import type { ApiCause } from './api-cause.ts';
import type { JsonObject } from './json.ts';

const LONGEST_NAME = 15;
const HIGHEST_PORT = 65_535;

/** What is wrong with a port's number (apimachinery, util/validation, IsValidPortNum). */
function portNumberProblems(port: number): string[] {
  return port >= 1 && port <= HIGHEST_PORT ? [] : [`must be between 1 and ${HIGHEST_PORT}, inclusive`];
}

/** What is wrong with a port's name, everything at once (apimachinery, util/validation, IsValidPortName). */
function portNameProblems(name: string): readonly string[] {
  // As nearly all are.
  if (isPortName(name)) return [];
  const rules: readonly (readonly [boolean, string])[] = [
    [name.length > LONGEST_NAME || byteLength(name) > LONGEST_NAME, `must be no more than ${LONGEST_NAME} characters`],
    [!/^[-a-z0-9]+$/.test(name), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [!/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [name.includes('--'), 'must not contain consecutive hyphens'],
    [name.startsWith('-') || name.endsWith('-'), 'must not begin or end with a hyphen'],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => problem);
}

/** Go's length of a string is its length in UTF-8, whatever the message calls it. */
function byteLength(text: string): number {
  return Array.from(text.toWellFormed()).reduce((bytes, character) => bytes + utf8Length(character), 0);
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/** A port given as a number. */
export function portNumberCauses(port: number, path: string): ApiCause[] {
  return portNumberProblems(port).map((problem) => invalid(path, port, problem));
}

/** The port of an httpGet or tcpSocket handler: a number or a name (validation.go, ValidatePortNumOrName). */
export function portCauses(handler: JsonObject, path: string): ApiCause[] {
  const port = member(handler, 'port');
  if (typeof port === 'string') return portNameProblems(port).map((problem) => invalid(path, port, problem));
  return portNumberCauses(goInteger(handler, 'port'), path);
}

/** A container's ports (validation.go, validateContainerPorts). */
export function containerPortsCauses(container: JsonObject, path: string): ApiCause[] {
  const names = new Set<string>();
  return causesOfEach(goObjects(container, 'ports'), (port, index) => {
    const portPath = `${path}.ports[${index}]`;
    return [
      ...nameCauses(goString(port, 'name'), names, `${portPath}.name`),
      ...containerPortCauses(goInteger(port, 'containerPort'), `${portPath}.containerPort`),
      ...hostPortCauses(goInteger(port, 'hostPort'), `${portPath}.hostPort`),
      ...protocolCauses(goString(port, 'protocol'), `${portPath}.protocol`),
    ];
  });
}

/** Names must differ within a container only; one that is not valid is not compared. */
function nameCauses(name: string, names: Set<string>, path: string): ApiCause[] {
  if (name === '') return [];
  const problems = portNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalid(path, name, problem));
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return [];
}

function containerPortCauses(port: number, path: string): ApiCause[] {
  return port === 0 ? [required(path)] : portNumberCauses(port, path);
}

function hostPortCauses(port: number, path: string): ApiCause[] {
  return port === 0 ? [] : portNumberCauses(port, path);
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

function protocolCauses(protocol: string, path: string): ApiCause[] {
  if (protocol === '') return [required(path)];
  return PROTOCOLS.includes(protocol) ? [] : [notSupported(path, protocol, PROTOCOLS)];
}
