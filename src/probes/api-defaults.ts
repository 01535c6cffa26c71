import { isJsonObject, member } from './json.ts';
import { PROBE_KINDS } from './probe.ts';
import type { JsonObject } from './json.ts';

/** The three lists of a Pod spec that hold containers, in the order in which the API server goes through them. */
export const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;
export type ContainerList = (typeof CONTAINER_LISTS)[number];

/**
 * A Pod spec with what the API server would fill in, as far as probes have to do with it (pkg/apis/core/v1/defaults.go and
 * zz_generated.defaults.go). The input is not touched, and what needs no default is shared with it. Null counts as absent, as it does
 * to Go. A value of the wrong type stays as it is: the API server refuses it while decoding.
 */
export function defaultedPodSpec(podSpec: JsonObject): JsonObject {
  let spec = podSpec;
  for (const list of CONTAINER_LISTS) spec = withEach(spec, list, defaultedContainer);
  spec = withDefault(spec, 'restartPolicy', 'Always', isEmpty);
  return withDefault(spec, 'terminationGracePeriodSeconds', 30, isAbsent);
}

function defaultedContainer(container: JsonObject): JsonObject {
  let spec = withEach(container, 'ports', defaultedPort);
  spec = withObject(spec, 'lifecycle', defaultedLifecycle);
  for (const kind of PROBE_KINDS) spec = withObject(spec, kind, defaultedProbe);
  return spec;
}

/** SetObjectDefaults_Pod, ContainerPort: the protocol is TCP. */
function defaultedPort(port: JsonObject): JsonObject {
  return withDefault(port, 'protocol', 'TCP', isEmpty);
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
  return withDefault(withDefault(action, 'path', '/', isEmpty), 'scheme', 'HTTP', isEmpty);
}

/** SetDefaults_Probe: 0 cannot be told from absent, so it becomes the default too. initialDelaySeconds has none. */
const PROBE_DEFAULTS = [
  ['timeoutSeconds', 1],
  ['periodSeconds', 10],
  ['successThreshold', 1],
  ['failureThreshold', 3],
] as const;

/** A probe with what the API server would fill in (SetDefaults_Probe, SetDefaults_HTTPGetAction). */
export function defaultedProbe(probe: JsonObject): JsonObject {
  const spec = withObject(defaultedHttpGet(probe), 'grpc', defaultedGrpc);
  const unset = PROBE_DEFAULTS.filter(([field]) => isZero(member(spec, field)));
  // One copy for all of them: a probe may have a hundred thousand unknown members.
  return unset.length === 0 ? spec : { ...spec, ...Object.fromEntries(unset) };
}

/** GRPCAction.Service has `+default=""`. */
function defaultedGrpc(action: JsonObject): JsonObject {
  return withDefault(action, 'service', '', isAbsent);
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

/** The object with a member of its own replaced; the object itself when the member is no object or needs nothing. */
function withObject(object: JsonObject, field: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const value = member(object, field);
  if (!isJsonObject(value)) return object;
  const changed = change(value);
  return changed === value ? object : { ...object, [field]: changed };
}

/** The object with the elements of a list replaced; a null element is an empty one to Go. */
function withEach(object: JsonObject, field: string, change: (value: JsonObject) => JsonObject): JsonObject {
  const list = member(object, field);
  if (!Array.isArray(list)) return object;
  const elements = list as readonly unknown[];
  const changed = elements.map((element) => (isJsonObject(element) ? change(element) : element));
  return changed.every((element, index) => element === elements[index]) ? object : { ...object, [field]: changed };
}
