import { DEFAULT_PROGRESS_DEADLINE_SECONDS } from './api-defaults.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, PROBE_KINDS } from './probe.ts';
import { FieldPlace } from '../../base/json/field-path.ts';
import { objectMember, type JsonObject } from '../../base/json/json-value.ts';
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

/**
 * What is around a Pod spec: a Pod that is created or exists (`pod-update` may have ephemeral containers), the template
 * of a kind whose Pods run `forever` (Deployment) or to `completion` (Job), or any other `template`, which takes any
 * restartPolicy.
 */
export type PodSpecPlace = 'pod' | 'pod-update' | 'forever' | 'completion' | 'template';

/**
 * Every cause for which the API server would refuse a Pod spec because of its probes, in the server's order and words
 * (Kubernetes 1.36 and the alpha fields of 1.37, pkg/apis/core/validation/validation.go, ValidatePodSpec), with the
 * rules about ports, restart policies, hooks and ephemeral containers that belong to them.
 * @param podSpec after defaulting, and without a problem of the decode stage: members of the wrong type count as absent
 */
export function apiCauses(podSpec: JsonObject, podSpecPlace: FieldPlace, place: PodSpecPlace): ApiCause[] {
  const causes: ApiCause[] = [];
  const pod = new ApiStruct(podSpec, podSpecPlace, causes);
  pod.each('containers', checkContainer);
  pod.each('initContainers', checkInitContainer);
  pod.each('ephemeralContainers', checkEphemeralContainer);
  // validateRestartPolicy.
  if (pod.string('restartPolicy') === '') pod.required('restartPolicy');
  else pod.oneOf('restartPolicy', ['Always', 'OnFailure', 'Never']);
  // Ephemeral containers are added to a running Pod and never before (ValidatePodCreate, ValidatePodTemplateSpec).
  if (place !== 'pod-update' && pod.length('ephemeralContainers') > 0) {
    const isPod = place === 'pod';
    const detail = isPod ? 'cannot be set on create' : 'ephemeral containers not allowed in pod template';
    pod.forbidden('ephemeralContainers', detail);
  }
  checkOwnerPolicy(pod, place);
  return causes;
}

/**
 * The restartPolicy that a template's owner demands: ReplicaSets and similar kinds want Always
 * (ValidatePodTemplateSpecForRS and its sisters), Jobs any other policy (pkg/apis/batch/validation, validateJobSpec).
 */
function checkOwnerPolicy(pod: ApiStruct, place: PodSpecPlace): void {
  if (place === 'forever') pod.oneOf('restartPolicy', ['Always']);
  if (place !== 'completion') return;
  if (['Always', ''].includes(pod.string('restartPolicy')))
    pod.required('restartPolicy', 'valid values: "OnFailure", "Never"');
  else pod.oneOf('restartPolicy', ['OnFailure', 'Never']);
}

/** validation.go, validateContainers. */
function checkContainer(container: ApiStruct): void {
  checkPorts(container);
  checkLifecycle(container);
  checkProbes(container);
  checkRestartPolicy(container);
}

/** A plain init container may have less than a sidecar (validation.go, validateInitContainers). */
function checkInitContainer(container: ApiStruct): void {
  checkPorts(container);
  checkRestartPolicy(container);
  if (container.string('restartPolicy') === 'Always') {
    checkLifecycle(container);
    checkProbes(container);
  } else
    // The API server refuses the fields without a look at their values.
    for (const field of ['lifecycle', ...PROBE_KINDS].filter((name) => container.isSet(name)))
      container.forbidden(field, 'may not be set for init containers without restartPolicy=Always');
}

/** What an ephemeral container may not have, in the order of core/v1 (validateFieldAllowList). */
const NOT_FOR_EPHEMERAL = [
  ...['ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules'],
  ...['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'],
];

/** validation.go, validateEphemeralContainers. */
function checkEphemeralContainer(container: ApiStruct): void {
  checkPorts(container);
  for (const field of NOT_FOR_EPHEMERAL) {
    const inner = container.pointer(field);
    // `resources` is a struct and no pointer: empty resources look like absent ones.
    const isSet = field === 'resources' ? ['limits', 'requests', 'claims'].some((name) => inner?.isSet(name)) : inner;
    if (isSet) container.forbidden(field, 'cannot be set for an Ephemeral Container');
  }
}

/**
 * A container's own restartPolicy and the rules beside it (validation.go, validateContainerRestartPolicy). All three
 * policies are legal on every container since Kubernetes 1.35. An init container may have probes only with Always.
 */
function checkRestartPolicy(container: ApiStruct): void {
  if (container.isSet('restartPolicy')) container.oneOf('restartPolicy', ['Always', 'Never', 'OnFailure']);
  else if (container.length('restartPolicyRules') > 0)
    container.required('restartPolicy', 'must specify restartPolicy when restart rules are used');
  container.atMost('restartPolicyRules', 20);
  container.each('restartPolicyRules', (rule) => {
    rule.oneOf('action', ['Restart', 'RestartAllContainers']);
    const exitCodes = rule.pointer('exitCodes');
    if (exitCodes === undefined) rule.required('exitCodes', 'must be specified');
    exitCodes?.oneOf('operator', ['In', 'NotIn']);
    exitCodes?.atMost('values', 255);
  });
}

/** The progress deadline is above minReadySeconds (pkg/apis/apps/validation, ValidateDeploymentSpec). */
export function deploymentCauses(deployment: JsonObject): ApiCause[] {
  const causes: ApiCause[] = [];
  const field = 'progressDeadlineSeconds';
  const spec = new ApiStruct(objectMember(deployment, 'spec') ?? {}, new FieldPlace([], 'spec'), causes);
  const deadline = spec.isSet(field) ? spec.integer(field) : DEFAULT_PROGRESS_DEADLINE_SECONDS;
  if (deadline < 0) spec.invalid(field, deadline, 'must be greater than or equal to 0');
  if (deadline <= spec.integer('minReadySeconds'))
    spec.invalid(field, deadline, 'must be greater than minReadySeconds');
  return causes;
}

const GRACE = 'terminationGracePeriodSeconds';

/** A container's three probes (validation.go, validateLivenessProbe, validateReadinessProbe, validateStartupProbe). */
function checkProbes(container: ApiStruct): void {
  for (const kind of PROBE_KINDS) {
    const probe = container.pointer(kind);
    if (probe === undefined) continue;
    checkHandler(probe, HANDLER_KINDS);
    // No upper bounds: 68 years between two probes are accepted.
    for (const field of PROBE_INTEGERS) {
      const value = probe.integer(field);
      if (value < 0 && field !== GRACE) probe.invalid(field, value, 'must be greater than or equal to 0');
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
function checkLifecycle(container: ApiStruct): void {
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
  // A name of megabytes is not encoded.
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
function checkPorts(container: ApiStruct): void {
  const names = new Set<string>();
  container.each('ports', (port) => {
    // Names must differ within a container only; an invalid name is not compared.
    const name = port.string('name');
    const problems = name === '' ? [] : portNameProblems(name);
    for (const problem of problems) port.invalid('name', name, problem);
    if (names.has(name)) port.duplicate('name', name);
    if (name !== '' && problems.length === 0) names.add(name);
    if (port.integer('containerPort') === 0) port.required('containerPort');
    else checkPortNumber(port, 'containerPort');
    if (port.integer('hostPort') !== 0) checkPortNumber(port, 'hostPort');
    if (port.string('protocol') === '') port.required('protocol');
    else port.oneOf('protocol', ['SCTP', 'TCP', 'UDP']);
  });
}
