import { invalid, unlessOneOf, causesOfEach, forbidden, notSupported, required, type ApiCause } from './api-cause.ts';
import { goInteger, goPointer, isSet, goLength, goObjects, goString } from './go-values.ts';
import { PROBE_KINDS, HANDLER_KINDS, type ProbeKind } from './probe.ts';
import { HEADER_NAME_PATTERN, isHeaderName } from './handler-values.ts';
import { portCauses, portNumberCauses } from './port-rules.ts';
import type { FieldPlace } from '../../base/json/field-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** A container's three probes (validation.go, validateLivenessProbe, validateReadinessProbe, validateStartupProbe). */
export function probesCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return PROBE_KINDS.flatMap((kind) => {
    const probe = goPointer(container, kind);
    return probe === undefined ? [] : probeCauses(kind, probe, place.at(kind));
  });
}

function probeCauses(kind: ProbeKind, probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return [
    ...probeHandlerCauses(probe, place),
    ...integerCauses(probe, place),
    ...graceCauses(probe, place),
    ...(kind === 'readinessProbe' ? readinessCauses(probe, place) : onceCauses(probe, place)),
  ];
}

const NON_NEGATIVE = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

/** No upper bounds: 68 years between two probes are accepted. */
function integerCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return NON_NEGATIVE.filter((field) => goInteger(probe, field) < 0).map((field) =>
    invalid(place.at(field), goInteger(probe, field), 'must be greater than or equal to 0'),
  );
}

const GRACE = 'terminationGracePeriodSeconds';

function graceCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  if (!isSet(probe, GRACE)) return [];
  const value = goInteger(probe, GRACE);
  return value <= 0 ? [invalid(place.at(GRACE), value, 'must be greater than 0')] : [];
}

/** A readiness probe never kills, so it has no grace period of its own. */
function readinessCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  if (!isSet(probe, GRACE)) return [];
  return [invalid(place.at(GRACE), goInteger(probe, GRACE), 'must not be set for readinessProbes')];
}

/** One success is enough for a liveness or startup probe, and no other number is accepted. */
function onceCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  const value = goInteger(probe, 'successThreshold');
  return value === 1 ? [] : [invalid(place.at('successThreshold'), value, 'must be 1')];
}

type ActionRule = (action: JsonObject, place: FieldPlace) => readonly ApiCause[];

const ACTION_RULES: Readonly<Record<string, ActionRule>> = {
  exec: execCauses,
  httpGet: httpGetCauses,
  tcpSocket: portCauses,
  grpc: grpcCauses,
};

/** The handlers of a container's hooks. The inside of `sleep` is not validated here: probes have no such handler. */
const HOOK_HANDLER_KINDS = ['exec', 'httpGet', 'tcpSocket', 'sleep'];

/** A probe's handler: exactly one. */
export function probeHandlerCauses(probe: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return handlerCauses(probe, HANDLER_KINDS, place);
}

/** A container's hooks (validation.go, validateLifecycle): the handlers of a probe, but sleep in place of grpc. */
export function lifecycleCauses(container: JsonObject, place: FieldPlace): readonly ApiCause[] {
  const lifecycle = goPointer(container, 'lifecycle');
  if (lifecycle === undefined) return [];
  return ['postStart', 'preStop'].flatMap((hook) => {
    const handler = goPointer(lifecycle, hook);
    if (handler === undefined) return [];
    return handlerCauses(handler, HOOK_HANDLER_KINDS, place.at('lifecycle').at(hook));
  });
}

/** The first handler is validated; each further one is forbidden (validation.go, validateHandler). */
function handlerCauses(handler: JsonObject, kinds: readonly string[], place: FieldPlace): readonly ApiCause[] {
  let causes: readonly ApiCause[] | undefined;
  for (const kind of kinds) {
    const action = goPointer(handler, kind);
    if (action === undefined) continue;
    if (causes === undefined) causes = ACTION_RULES[kind]?.(action, place.at(kind)) ?? [];
    else causes = [...causes, forbidden(place.at(kind), 'may not specify more than 1 handler type')];
  }
  return causes ?? [required(place, 'must specify a handler type')];
}

function execCauses(action: JsonObject, place: FieldPlace): ApiCause[] {
  return goLength(action, 'command') === 0 ? [required(place.at('command'))] : [];
}

const SCHEMES = ['HTTP', 'HTTPS'];
const HTTP_PROTOCOLS = ['HTTP1', 'HTTP2'];
const GRPC_MODES = ['Plaintext', 'TLS'];

/** validation.go, validateHTTPGetAction. The path is never empty here, because defaulting fills it in. */
function httpGetCauses(action: JsonObject, place: FieldPlace): readonly ApiCause[] {
  return [
    ...portCauses(action, place),
    ...unlessOneOf(goString(action, 'scheme'), SCHEMES, place.at('scheme')),
    ...causesOfEach(goObjects(action, 'httpHeaders'), (header) => headerCauses(header, place)),
    ...protocolCauses(action, place),
  ];
}

/** Alpha in Kubernetes 1.37 (feature gate H2CContainerProbe): HTTP2 goes to the Pod's own IP without TLS. */
function protocolCauses(action: JsonObject, handler: FieldPlace): readonly ApiCause[] {
  if (!isSet(action, 'protocol')) return [];
  const protocol = goString(action, 'protocol');
  const place = handler.at('protocol');
  if (!HTTP_PROTOCOLS.includes(protocol)) return [notSupported(place, protocol, HTTP_PROTOCOLS)];
  if (protocol !== 'HTTP2') return [];
  if (goString(action, 'scheme') === 'HTTPS')
    return [invalid(place, protocol, 'HTTP2 cannot be combined with scheme HTTPS')];
  return goString(action, 'host') === '' ? [] : [invalid(place, protocol, 'HTTP2 cannot be combined with host')];
}

/** The mode is alpha in Kubernetes 1.37 (feature gate GRPCContainerProbeTLS); others drop it unread. */
function grpcCauses(action: JsonObject, place: FieldPlace): ApiCause[] {
  return [
    ...portNumberCauses(goInteger(action, 'port'), place, 'port'),
    ...(isSet(action, 'mode') ? unlessOneOf(goString(action, 'mode'), GRPC_MODES, place.at('mode')) : []),
  ];
}

const HEADER_PROBLEM =
  "a valid HTTP header must consist of alphanumeric characters or '-' " +
  `(e.g. 'X-Header-Name', regex used for validation is '${HEADER_NAME_PATTERN}')`;

/** apimachinery, util/validation, IsHTTPHeaderName. The path has no index, and values are never looked at. */
function headerCauses(header: JsonObject, handler: FieldPlace): ApiCause[] {
  const name = goString(header, 'name');
  return isHeaderName(name) ? [] : [invalid(handler.at('httpHeaders'), name, HEADER_PROBLEM)];
}
