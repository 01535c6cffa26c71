import { utf8Length } from '../../base/text/utf8.ts';
import {
  HEADER_NAME_PATTERN,
  HIGHEST_PORT,
  LONGEST_PORT_NAME,
  isHeaderName,
  isPortName,
  isPortNumber,
} from './handler-values.ts';
import { ApiStruct, type ApiCause } from './api-struct.ts';
import { HANDLER_KINDS, PROBE_KINDS } from './probe.ts';
import type { FieldPlace } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

const NON_NEGATIVE = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const GRACE = 'terminationGracePeriodSeconds';

/** A container's three probes (validation.go, validateLivenessProbe, validateReadinessProbe, validateStartupProbe). */
export function checkProbes(container: ApiStruct): void {
  for (const kind of PROBE_KINDS) {
    const probe = container.pointer(kind);
    if (probe === undefined) continue;
    checkHandler(probe, HANDLER_KINDS);
    // No upper bounds: 68 years between two probes are accepted.
    for (const field of NON_NEGATIVE) {
      const value = probe.integer(field);
      if (value < 0) probe.invalid(field, value, 'must be greater than or equal to 0');
    }
    const [hasGrace, grace] = [probe.isSet(GRACE), probe.integer(GRACE)];
    const successes = probe.integer('successThreshold');
    if (hasGrace && grace <= 0) probe.invalid(GRACE, grace, 'must be greater than 0');
    // A readiness probe never kills. One success is enough for the others, and no other number is accepted.
    if (kind !== 'readinessProbe') {
      if (successes !== 1) probe.invalid('successThreshold', successes, 'must be 1');
    } else if (hasGrace) probe.invalid(GRACE, grace, 'must not be set for readinessProbes');
  }
}

/** The causes for which the API server would refuse the handler of a probe: it must have exactly one. */
export function probeHandlerCauses(probe: JsonObject, place: FieldPlace): ApiCause[] {
  const causes: ApiCause[] = [];
  checkHandler(new ApiStruct(probe, place, causes), HANDLER_KINDS);
  return causes;
}

/** The handlers of a container's hooks. The inside of `sleep` is not validated here: probes have no such handler. */
const HOOK_HANDLER_KINDS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

/** A container's hooks (validation.go, validateLifecycle): the handlers of a probe, but sleep in place of grpc. */
export function checkLifecycle(container: ApiStruct): void {
  const lifecycle = container.pointer('lifecycle');
  for (const hook of ['postStart', 'preStop']) {
    const handler = lifecycle?.pointer(hook);
    if (handler !== undefined) checkHandler(handler, HOOK_HANDLER_KINDS);
  }
}

/** The first handler is validated; each further one is forbidden (validation.go, validateHandler). */
function checkHandler(handler: ApiStruct, kinds: readonly string[]): void {
  const [first, ...others] = kinds.filter((kind) => handler.isSet(kind));
  const action = first === undefined ? undefined : handler.pointer(first);
  if (first === undefined || action === undefined) handler.required(undefined, 'must specify a handler type');
  else ACTION_RULES[first]?.(action);
  for (const kind of others) handler.forbidden(kind, 'may not specify more than 1 handler type');
}

const ACTION_RULES: Readonly<Record<string, (action: ApiStruct) => void>> = {
  exec: (action) => {
    if (action.length('command') === 0) action.required('command');
  },
  httpGet: checkHttpGet,
  tcpSocket: checkPort,
  /** The mode is alpha in Kubernetes 1.37 (feature gate GRPCContainerProbeTLS); others drop it unread. */
  grpc: (action) => {
    checkPortNumber(action, 'port');
    if (action.isSet('mode')) action.oneOf('mode', ['Plaintext', 'TLS']);
  },
};

const HEADER_PROBLEM =
  "a valid HTTP header must consist of alphanumeric characters or '-' " +
  `(e.g. 'X-Header-Name', regex used for validation is '${HEADER_NAME_PATTERN}')`;

/**
 * validation.go, validateHTTPGetAction. The path is never empty here, because defaulting fills it in. A cause of a
 * header's name has no index, and values are never looked at (apimachinery, util/validation, IsHTTPHeaderName).
 */
function checkHttpGet(action: ApiStruct): void {
  checkPort(action);
  action.oneOf('scheme', ['HTTP', 'HTTPS']);
  action.each('httpHeaders', (header) => {
    const name = header.string('name');
    if (!isHeaderName(name)) action.invalid('httpHeaders', name, HEADER_PROBLEM);
  });
  if (action.isSet('protocol')) checkProtocol(action);
}

/** Alpha in Kubernetes 1.37 (feature gate H2CContainerProbe): HTTP2 goes to the Pod's own IP without TLS. */
function checkProtocol(action: ApiStruct): void {
  const protocol = action.string('protocol');
  action.oneOf('protocol', ['HTTP1', 'HTTP2']);
  if (protocol !== 'HTTP2') return;
  if (action.string('scheme') === 'HTTPS')
    action.invalid('protocol', protocol, 'HTTP2 cannot be combined with scheme HTTPS');
  else if (action.string('host') !== '') action.invalid('protocol', protocol, 'HTTP2 cannot be combined with host');
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
function checkPortNumber(struct: ApiStruct, field: string): void {
  const port = struct.integer(field);
  if (!isPortNumber(port)) struct.invalid(field, port, `must be between 1 and ${HIGHEST_PORT}, inclusive`);
}

/** The port of an httpGet or tcpSocket handler: a number or a name (validation.go, ValidatePortNumOrName). */
function checkPort(action: ApiStruct): void {
  const port = action.member('port');
  if (typeof port !== 'string') checkPortNumber(action, 'port');
  else for (const problem of portNameProblems(port)) action.invalid('port', port, problem);
}

/** A container's ports (validation.go, validateContainerPorts). */
export function checkPorts(container: ApiStruct): void {
  const names = new Set<string>();
  container.each('ports', (port) => {
    checkPortName(port, names);
    if (port.integer('containerPort') === 0) port.required('containerPort');
    else checkPortNumber(port, 'containerPort');
    if (port.integer('hostPort') !== 0) checkPortNumber(port, 'hostPort');
    if (port.string('protocol') === '') port.required('protocol');
    else port.oneOf('protocol', ['SCTP', 'TCP', 'UDP']);
  });
}

/** Names must differ within a container only; an invalid name is not compared. */
function checkPortName(port: ApiStruct, names: Set<string>): void {
  const name = port.string('name');
  const problems = name === '' ? [] : portNameProblems(name);
  for (const problem of problems) port.invalid('name', name, problem);
  if (names.has(name)) port.duplicate('name', name);
  if (name !== '' && problems.length === 0) names.add(name);
}
