import { utf8Length } from '../../base/text/utf8.ts';
import { unlessOneOf, causesOfEach, duplicate, invalid, required, type ApiCause } from './api-cause.ts';
import { goInteger, goObjects, goString } from './go-values.ts';
import { member, type JsonObject } from '../../base/json/json-value.ts';
import { HIGHEST_PORT, LONGEST_PORT_NAME, isPortName, isPortNumber } from './handler-values.ts';
import type { FieldPlace } from '../../base/json/field-path.ts';

/** The problems of a port's name, all at once (apimachinery, util/validation, IsValidPortName). */
function portNameProblems(name: string): readonly string[] {
  if (isPortName(name)) return [];
  // The server's message says characters, but Go counts bytes of UTF-8.
  const rules: readonly (readonly [boolean, string])[] = [
    [
      name.length > LONGEST_PORT_NAME || utf8Length(name) > LONGEST_PORT_NAME,
      `must be no more than ${LONGEST_PORT_NAME} characters`,
    ],
    [!/^[-a-z0-9]+$/.test(name), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [!/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [name.includes('--'), 'must not contain consecutive hyphens'],
    [name.startsWith('-') || name.endsWith('-'), 'must not begin or end with a hyphen'],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => problem);
}

/** A port given as a number, in this field of its parent (apimachinery, util/validation, IsValidPortNum). */
export function portNumberCauses(port: number, parent: FieldPlace, field: string): readonly ApiCause[] {
  if (isPortNumber(port)) return [];
  return [invalid(parent.at(field), port, `must be between 1 and ${HIGHEST_PORT}, inclusive`)];
}

/** The port of an httpGet or tcpSocket handler: a number or a name (validation.go, ValidatePortNumOrName). */
export function portCauses(handler: JsonObject, place: FieldPlace): readonly ApiCause[] {
  const port = member(handler, 'port');
  if (typeof port === 'string') {
    return portNameProblems(port).map((problem) => invalid(place.at('port'), port, problem));
  }
  return portNumberCauses(goInteger(handler, 'port'), place, 'port');
}

/** A container's ports (validation.go, validateContainerPorts). */
export function containerPortsCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  const ports = goObjects(container, 'ports');
  const names = new Set<string>();
  const list = place.at('ports');
  return causesOfEach(ports, (port, index) => {
    const portPlace = list.at(index);
    const [number, hostPort] = [goInteger(port, 'containerPort'), goInteger(port, 'hostPort')];
    return [
      ...nameCauses(goString(port, 'name'), names, portPlace),
      ...(number === 0
        ? [required(portPlace.at('containerPort'))]
        : portNumberCauses(number, portPlace, 'containerPort')),
      ...(hostPort === 0 ? [] : portNumberCauses(hostPort, portPlace, 'hostPort')),
      ...protocolCauses(goString(port, 'protocol'), portPlace),
    ];
  });
}

/** Names must differ within a container only; an invalid name is not compared. */
function nameCauses(name: string, names: Set<string>, port: FieldPlace): readonly ApiCause[] {
  if (name === '') return [];
  const problems = portNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalid(port.at('name'), name, problem));
  if (names.has(name)) return [duplicate(port.at('name'), name)];
  names.add(name);
  return [];
}

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

function protocolCauses(protocol: string, port: FieldPlace): readonly ApiCause[] {
  if (protocol === '') return [required(port.at('protocol'))];
  return unlessOneOf(protocol, PROTOCOLS, port.at('protocol'));
}
