import { utf8Length } from '../../base/text/utf8.ts';
import {
  HEADER_NAME_PATTERN,
  HIGHEST_PORT,
  LONGEST_PORT_NAME,
  isHeaderName,
  isPortName,
  isPortNumber,
} from './handler-values.ts';
import { HANDLER_KINDS, PROBE_KINDS } from './probe.ts';
import type { ApiCause, ApiStruct } from './api-struct.ts';

type Causes = readonly ApiCause[];

const NON_NEGATIVE = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const GRACE = 'terminationGracePeriodSeconds';

/** A container's three probes (validation.go, validateLivenessProbe, validateReadinessProbe, validateStartupProbe). */
export function probesCauses(container: ApiStruct): Causes {
  return PROBE_KINDS.flatMap((kind) => {
    const probe = container.pointer(kind);
    if (probe === undefined) return [];
    return [
      ...probeHandlerCauses(probe),
      // No upper bounds: 68 years between two probes are accepted.
      ...NON_NEGATIVE.filter((field) => probe.integer(field) < 0).map((field) =>
        probe.invalid(field, probe.integer(field), 'must be greater than or equal to 0'),
      ),
      ...graceCauses(probe),
      ...(kind === 'readinessProbe' ? readinessCauses(probe) : onceCauses(probe)),
    ];
  });
}

function graceCauses(probe: ApiStruct): Causes {
  if (!probe.isSet(GRACE) || probe.integer(GRACE) > 0) return [];
  return [probe.invalid(GRACE, probe.integer(GRACE), 'must be greater than 0')];
}

/** A readiness probe never kills, so it has no grace period of its own. */
function readinessCauses(probe: ApiStruct): Causes {
  return probe.isSet(GRACE) ? [probe.invalid(GRACE, probe.integer(GRACE), 'must not be set for readinessProbes')] : [];
}

/** One success is enough for a liveness or startup probe, and no other number is accepted. */
function onceCauses(probe: ApiStruct): Causes {
  const value = probe.integer('successThreshold');
  return value === 1 ? [] : [probe.invalid('successThreshold', value, 'must be 1')];
}

const ACTION_RULES: Readonly<Record<string, (action: ApiStruct) => Causes>> = {
  exec: (action) => (action.length('command') === 0 ? [action.required('command')] : []),
  httpGet: httpGetCauses,
  tcpSocket: portCauses,
  grpc: grpcCauses,
};

/** The handlers of a container's hooks. The inside of `sleep` is not validated here: probes have no such handler. */
const HOOK_HANDLER_KINDS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

/** A probe's handler: exactly one. */
export function probeHandlerCauses(probe: ApiStruct): Causes {
  return handlerCauses(probe, HANDLER_KINDS);
}

/** A container's hooks (validation.go, validateLifecycle): the handlers of a probe, but sleep in place of grpc. */
export function lifecycleCauses(container: ApiStruct): Causes {
  const lifecycle = container.pointer('lifecycle');
  return ['postStart', 'preStop'].flatMap((hook) => {
    const handler = lifecycle?.pointer(hook);
    return handler === undefined ? [] : handlerCauses(handler, HOOK_HANDLER_KINDS);
  });
}

/** The first handler is validated; each further one is forbidden (validation.go, validateHandler). */
function handlerCauses(handler: ApiStruct, kinds: readonly string[]): Causes {
  const [first, ...others] = kinds.filter((kind) => handler.isSet(kind));
  const action = first === undefined ? undefined : handler.pointer(first);
  if (first === undefined || action === undefined) return [handler.required(undefined, 'must specify a handler type')];
  return [
    ...(ACTION_RULES[first]?.(action) ?? []),
    ...others.map((kind) => handler.forbidden(kind, 'may not specify more than 1 handler type')),
  ];
}

const HEADER_PROBLEM =
  "a valid HTTP header must consist of alphanumeric characters or '-' " +
  `(e.g. 'X-Header-Name', regex used for validation is '${HEADER_NAME_PATTERN}')`;

/**
 * validation.go, validateHTTPGetAction. The path is never empty here, because defaulting fills it in. A cause of a
 * header's name has no index, and values are never looked at (apimachinery, util/validation, IsHTTPHeaderName).
 */
function httpGetCauses(action: ApiStruct): Causes {
  return [
    ...portCauses(action),
    ...action.oneOf('scheme', ['HTTP', 'HTTPS']),
    ...action.each('httpHeaders', (header) => {
      const name = header.string('name');
      return isHeaderName(name) ? [] : [action.invalid('httpHeaders', name, HEADER_PROBLEM)];
    }),
    ...httpProtocolCauses(action),
  ];
}

/** Alpha in Kubernetes 1.37 (feature gate H2CContainerProbe): HTTP2 goes to the Pod's own IP without TLS. */
function httpProtocolCauses(action: ApiStruct): Causes {
  if (!action.isSet('protocol')) return [];
  const protocol = action.string('protocol');
  if (protocol !== 'HTTP2') return action.oneOf('protocol', ['HTTP1', 'HTTP2']);
  const other = action.string('scheme') === 'HTTPS' ? 'scheme HTTPS' : action.string('host') === '' ? '' : 'host';
  return other === '' ? [] : [action.invalid('protocol', protocol, `HTTP2 cannot be combined with ${other}`)];
}

/** The mode is alpha in Kubernetes 1.37 (feature gate GRPCContainerProbeTLS); others drop it unread. */
function grpcCauses(action: ApiStruct): Causes {
  return [
    ...portNumberCauses(action, 'port'),
    ...(action.isSet('mode') ? action.oneOf('mode', ['Plaintext', 'TLS']) : []),
  ];
}

/** The problems of a port's name, all at once (apimachinery, util/validation, IsValidPortName). */
function portNameProblems(name: string): readonly string[] {
  if (isPortName(name)) return [];
  // The server's message says characters, but Go counts bytes of UTF-8.
  const isLong = name.length > LONGEST_PORT_NAME || utf8Length(name) > LONGEST_PORT_NAME;
  const rules: readonly (readonly [boolean, string])[] = [
    [isLong, `must be no more than ${LONGEST_PORT_NAME} characters`],
    [!/^[-a-z0-9]+$/.test(name), 'must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)'],
    [!/[a-z]/.test(name), 'must contain at least one letter (a-z)'],
    [name.includes('--'), 'must not contain consecutive hyphens'],
    [name.startsWith('-') || name.endsWith('-'), 'must not begin or end with a hyphen'],
  ];
  return rules.filter(([broken]) => broken).map(([, problem]) => problem);
}

/** A port that is a number (apimachinery, util/validation, IsValidPortNum). */
function portNumberCauses(struct: ApiStruct, field: string): Causes {
  const port = struct.integer(field);
  return isPortNumber(port) ? [] : [struct.invalid(field, port, `must be between 1 and ${HIGHEST_PORT}, inclusive`)];
}

/** The port of an httpGet or tcpSocket handler: a number or a name (validation.go, ValidatePortNumOrName). */
function portCauses(action: ApiStruct): Causes {
  const port = action.member('port');
  if (typeof port !== 'string') return portNumberCauses(action, 'port');
  return portNameProblems(port).map((problem) => action.invalid('port', port, problem));
}

/** A container's ports (validation.go, validateContainerPorts). */
export function containerPortsCauses(container: ApiStruct): Causes {
  const names = new Set<string>();
  return container.each('ports', (port) => [
    ...portNameCauses(port, names),
    ...(port.integer('containerPort') === 0
      ? [port.required('containerPort')]
      : portNumberCauses(port, 'containerPort')),
    ...(port.integer('hostPort') === 0 ? [] : portNumberCauses(port, 'hostPort')),
    ...(port.string('protocol') === '' ? [port.required('protocol')] : port.oneOf('protocol', ['SCTP', 'TCP', 'UDP'])),
  ]);
}

/** Names must differ within a container only; an invalid name is not compared. */
function portNameCauses(port: ApiStruct, names: Set<string>): Causes {
  const name = port.string('name');
  const problems = name === '' ? [] : portNameProblems(name);
  if (name === '' || problems.length > 0) return problems.map((problem) => port.invalid('name', name, problem));
  if (names.has(name)) return [port.duplicate('name', name)];
  names.add(name);
  return [];
}
