import { isJsonObject, isPresent, member, type JsonObject } from '../../base/json/json-value.ts';
import { PROBE_KINDS } from './probe.ts';

/*
 * Values that the API server fills in where an object says nothing (pkg/apis/core/v1/defaults.go: SetDefaults_Probe,
 * _HTTPGetAction, _PodSpec; zz_generated.defaults.go; pkg/apis/apps/v1/defaults.go: SetDefaults_Deployment). An httpGet
 * handler has a protocol and a grpc handler a mode since Kubernetes 1.37 (core/v1, types.go).
 */

/** A probe's integers, in seconds and counts. In the API, initialDelaySeconds has no default: absent is 0. */
export const DEFAULT_TIMING = {
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  failureThreshold: 3,
  successThreshold: 1,
} as const;
export const DEFAULT_POD_GRACE_SECONDS = 30;
export const DEFAULT_RESTART_POLICY = 'Always';
/** What an absent or empty field of a handler means. */
export const HANDLER_DEFAULTS = {
  path: '/',
  scheme: 'HTTP',
  protocol: 'HTTP1',
  service: '',
  mode: 'Plaintext',
} as const;
/** The protocol of a container port. */
export const DEFAULT_PROTOCOL = 'TCP';
export const DEFAULT_PROGRESS_DEADLINE_SECONDS = 600;

/** The three lists of a Pod spec that hold containers, in the order in which the API server goes through them. */
export const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;
export type ContainerList = (typeof CONTAINER_LISTS)[number];

/** The defaults of an object, by field: a value, those of a member, or those of each element of a list. */
type Defaults = ReadonlyMap<string, Default>;
type Default = string | number | Defaults | readonly [Defaults];

const defaults = (fields: Readonly<Record<string, Default>>): Defaults => new Map(Object.entries(fields));

const ofEachProbe = (probe: Defaults): Defaults => new Map(PROBE_KINDS.map((kind) => [kind, probe]));

/** SetDefaults_HTTPGetAction. A hook's httpGet gets the same as a probe's. */
const { path, scheme, service } = HANDLER_DEFAULTS;
const HTTP_GET = defaults({ path, scheme });
const HOOK = defaults({ httpGet: HTTP_GET });
const INTEGERS = ['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;
const PROBE = defaults({
  httpGet: HTTP_GET,
  grpc: defaults({ service }),
  ...Object.fromEntries(INTEGERS.map((field) => [field, DEFAULT_TIMING[field]])),
});
const CONTAINER = defaults({
  ports: [defaults({ protocol: DEFAULT_PROTOCOL })],
  lifecycle: defaults({ postStart: HOOK, preStop: HOOK }),
  ...Object.fromEntries(ofEachProbe(PROBE)),
});
const POD_SPEC = defaults({
  ...Object.fromEntries(CONTAINER_LISTS.map((list) => [list, [CONTAINER] as const])),
  restartPolicy: DEFAULT_RESTART_POLICY,
  terminationGracePeriodSeconds: DEFAULT_POD_GRACE_SECONDS,
});

/**
 * A Pod spec with the defaults of the API server that matter to probes (pkg/apis/core/v1/defaults.go and
 * zz_generated.defaults.go). The input stays unchanged, and the result shares all parts that need no default. Null
 * counts as absent, as in Go. A value of the wrong type stays as it is: the API server refuses it while decoding.
 */
export function defaultedPodSpec(podSpec: JsonObject): JsonObject {
  return withDefaults(podSpec, POD_SPEC);
}

/** A probe with the API server's defaults (SetDefaults_Probe, SetDefaults_HTTPGetAction). */
export function defaultedProbe(probe: JsonObject): JsonObject {
  return withDefaults(probe, PROBE);
}

/** A container whose HTTP and TCP probes have a port. */
export function withProbePort(container: JsonObject, port: number): JsonObject {
  const handler = defaults({ port });
  const probe = defaults({ httpGet: handler, tcpSocket: handler });
  return withDefaults(container, ofEachProbe(probe));
}

function withDefaults(object: JsonObject, fields: Defaults): JsonObject {
  let changed: Record<string, unknown> | undefined;
  for (const [field, fallback] of fields) {
    const value = member(object, field);
    const set = valueOr(value, fallback, field);
    if (set !== value) (changed ??= { ...object })[field] = set;
  }
  return changed ?? object;
}

function valueOr(value: unknown, fallback: Default, field: string): unknown {
  if (typeof fallback === 'string') return isPresent(value) && value !== '' ? value : fallback;
  // Go cannot tell 0 from absent. The Pod's grace period is a pointer, and may be 0.
  if (typeof fallback === 'number')
    return isPresent(value) && (value !== 0 || field === 'terminationGracePeriodSeconds') ? value : fallback;
  if (fallback instanceof Map) return isJsonObject(value) ? withDefaults(value, fallback) : value;
  if (!Array.isArray(value)) return value;
  // In Go, a null element of a list of structs is an empty struct. A container without a name is refused anyhow.
  const set = value.map((element: unknown) =>
    valueOr(element === null && field === 'ports' ? {} : element, (fallback as readonly [Defaults])[0], field),
  );
  return set.every((element, index) => element === value[index]) ? value : set;
}
