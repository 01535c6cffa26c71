import { isJsonObject, isPresent, member, type JsonObject } from '../../base/json/json-value.ts';
import { PROBE_KINDS } from './probe.ts';

/*
 * Values that the API server fills in where an object says nothing.
 */

/**
 * A probe's integers, in seconds and counts (pkg/apis/core/v1/defaults.go, SetDefaults_Probe). initialDelaySeconds has
 * no default: absent is 0.
 */
export const DEFAULT_TIMING = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  failureThreshold: 3,
  successThreshold: 1,
} as const;

/** A Pod's terminationGracePeriodSeconds (pkg/apis/core/v1/defaults.go, SetDefaults_PodSpec). */
export const DEFAULT_POD_GRACE_SECONDS = 30;

/** A Pod's restartPolicy (pkg/apis/core/v1/defaults.go, SetDefaults_PodSpec). */
export const DEFAULT_RESTART_POLICY = 'Always';

/** The scheme of an httpGet handler (pkg/apis/core/v1/defaults.go, SetDefaults_HTTPGetAction). */
export const DEFAULT_SCHEME = 'HTTP';

/** The path of an httpGet handler (pkg/apis/core/v1/defaults.go, SetDefaults_HTTPGetAction). */
export const DEFAULT_HTTP_PATH = '/';

/** The protocol of an httpGet handler that names none (core/v1 types.go, HTTPGetAction, since Kubernetes 1.37). */
export const DEFAULT_HTTP_PROTOCOL = 'HTTP1';

/** How a grpc handler without a mode connects (core/v1 types.go, GRPCAction, since Kubernetes 1.37). */
export const DEFAULT_GRPC_MODE = 'Plaintext';

/** The service of a grpc handler (core/v1 types.go, GRPCAction: `+default=""`). */
export const DEFAULT_GRPC_SERVICE = '';

/** The protocol of a container port (pkg/apis/core/v1/zz_generated.defaults.go, SetObjectDefaults_Pod). */
export const DEFAULT_PROTOCOL = 'TCP';

/** A Deployment's progressDeadlineSeconds (pkg/apis/apps/v1/defaults.go, SetDefaults_Deployment). */
export const DEFAULT_PROGRESS_DEADLINE_SECONDS = 600;

/** The three lists of a Pod spec that hold containers, in the order in which the API server goes through them. */
export const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;
export type ContainerList = (typeof CONTAINER_LISTS)[number];

/**
 * A Pod spec with the defaults of the API server that matter to probes (pkg/apis/core/v1/defaults.go and
 * zz_generated.defaults.go). The input stays unchanged, and the result shares all parts that need no default. Null
 * counts as absent, as in Go. A value of the wrong type stays as it is: the API server refuses it while decoding.
 */
export function defaultedPodSpec(podSpec: JsonObject): JsonObject {
  let spec = podSpec;
  for (const list of CONTAINER_LISTS) spec = withEach(spec, list, defaultedContainer);
  spec = withDefault(spec, 'restartPolicy', DEFAULT_RESTART_POLICY, isEmpty);
  return withDefault(spec, 'terminationGracePeriodSeconds', DEFAULT_POD_GRACE_SECONDS, isAbsent);
}

function defaultedContainer(container: JsonObject): JsonObject {
  let spec = withDefaultedPorts(container);
  spec = withObject(spec, 'lifecycle', defaultedLifecycle);
  for (const kind of PROBE_KINDS) spec = withObject(spec, kind, defaultedProbe);
  return spec;
}

/** In Go, a null element of a list of structs is an empty struct, and gets the defaults too. */
function withDefaultedPorts(container: JsonObject): JsonObject {
  const ports = member(container, 'ports');
  if (!Array.isArray(ports) || !ports.includes(null)) return withEach(container, 'ports', defaultedPort);
  const given = (ports as readonly unknown[]).map((port) => port ?? {});
  return withEach({ ...container, ports: given }, 'ports', defaultedPort);
}

/** SetObjectDefaults_Pod, ContainerPort: the protocol is TCP. */
function defaultedPort(port: JsonObject): JsonObject {
  return withDefault(port, 'protocol', DEFAULT_PROTOCOL, isEmpty);
}

/** A hook's httpGet gets the same defaults as a probe's. */
function defaultedLifecycle(lifecycle: JsonObject): JsonObject {
  const started = withObject(lifecycle, 'postStart', defaultedHttpGet);
  return withObject(started, 'preStop', defaultedHttpGet);
}

function defaultedHttpGet(handler: JsonObject): JsonObject {
  return withObject(handler, 'httpGet', defaultedHttpGetAction);
}

/** SetDefaults_HTTPGetAction. */
function defaultedHttpGetAction(action: JsonObject): JsonObject {
  return withDefault(withDefault(action, 'path', DEFAULT_HTTP_PATH, isEmpty), 'scheme', DEFAULT_SCHEME, isEmpty);
}

/** Go cannot tell 0 from absent, so 0 becomes the default, too (SetDefaults_Probe). */
const PROBE_DEFAULTS = (['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const).map(
  (field) => [field, DEFAULT_TIMING[field]] as const,
);

/** A probe with the API server's defaults (SetDefaults_Probe, SetDefaults_HTTPGetAction). */
export function defaultedProbe(probe: JsonObject): JsonObject {
  const spec = withObject(defaultedHttpGet(probe), 'grpc', defaultedGrpc);
  const unset = PROBE_DEFAULTS.filter(([field]) => isZero(member(spec, field)));
  return unset.length === 0 ? spec : { ...spec, ...Object.fromEntries(unset) };
}

/** GRPCAction.Service has `+default=""`. */
function defaultedGrpc(action: JsonObject): JsonObject {
  return withDefault(action, 'service', DEFAULT_GRPC_SERVICE, isAbsent);
}

function isAbsent(value: unknown): boolean {
  return !isPresent(value);
}

function isEmpty(value: unknown): boolean {
  return isAbsent(value) || value === '';
}

function isZero(value: unknown): boolean {
  return isAbsent(value) || value === 0;
}

function withDefault(
  object: JsonObject,
  field: string,
  value: string | number,
  isUnset: (value: unknown) => boolean,
): JsonObject {
  return isUnset(member(object, field)) ? { ...object, [field]: value } : object;
}

/** The object with one member changed; the same object when the member is no object or needs no change. */
function withObject(object: JsonObject, field: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const value = member(object, field);
  if (!isJsonObject(value)) return object;
  const changed = change(value);
  return changed === value ? object : { ...object, [field]: changed };
}

/** The object with the elements of one list changed; the same object when no element needs a change. */
function withEach(object: JsonObject, field: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const list = member(object, field);
  if (!Array.isArray(list)) return object;
  const changed = list.map((element: unknown) => (isJsonObject(element) ? change(element) : element));
  return changed.every((element, index) => element === list[index]) ? object : { ...object, [field]: changed };
}
