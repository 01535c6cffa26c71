import { isJsonObject, member } from '../../base/json/json-value.ts';
import {
  DEFAULT_GRPC_SERVICE,
  DEFAULT_HTTP_PATH,
  DEFAULT_POD_GRACE_SECONDS,
  DEFAULT_PROTOCOL,
  DEFAULT_RESTART_POLICY,
  DEFAULT_SCHEME,
  DEFAULT_TIMING,
} from './default-values.ts';
import { PROBE_KINDS } from './probe.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

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

/**
 * SetDefaults_Probe: Go cannot tell 0 from absent, so 0 becomes the default too. initialDelaySeconds stays as it is.
 */
const PROBE_DEFAULTS = (['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const).map(
  (field) => [field, DEFAULT_TIMING[field]] as const,
);

/** A probe with the API server's defaults (SetDefaults_Probe, SetDefaults_HTTPGetAction). */
export function defaultedProbe(probe: JsonObject): JsonObject {
  const spec = withObject(defaultedHttpGet(probe), 'grpc', defaultedGrpc);
  if (!isAnyUnset(spec)) return spec;
  const unset = PROBE_DEFAULTS.filter(([field]) => isZero(member(spec, field)));
  // One copy for all of them: a probe may have a hundred thousand unknown members.
  return { ...spec, ...Object.fromEntries(unset) };
}

/** A stored probe has all its fields, and needs no list of what is unset. */
function isAnyUnset(probe: JsonObject): boolean {
  for (const [field] of PROBE_DEFAULTS) if (isZero(member(probe, field))) return true;
  return false;
}

/** GRPCAction.Service has `+default=""`. */
function defaultedGrpc(action: JsonObject): JsonObject {
  return withDefault(action, 'service', DEFAULT_GRPC_SERVICE, isAbsent);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
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
  const elements = list as readonly unknown[];
  let changed: unknown[] | undefined;
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index];
    const next = isJsonObject(element) ? change(element) : element;
    if (next !== element) (changed ??= [...elements])[index] = next;
  }
  return changed === undefined ? object : { ...object, [field]: changed };
}
