import { PROBE_INTEGERS, type HandlerKind } from './probe.ts';
import { formatPath, type FieldPath, type FieldPlace, type PathStep } from '../../base/json/field-path.ts';
import { NumberLiteral, isJsonObject, isPresent } from '../../base/json/json-value.ts';
import { INT32_MAX } from './go-values.ts';

/*
 * The Go types behind a Pod spec, for probes and the fields that their rules need
 * (staging/src/k8s.io/api/core/v1/types.go, Kubernetes 1.37 with its alpha features on). A field that is not listed
 * here passes undecoded, as an unknown field does.
 */

/**
 * A Go type that JSON is decoded into. A scalar is the type as Go's decoder spells it in an error: `int32`, `int64`, or
 * the name of a type of strings. `int-or-string` is intstr.IntOrString, which decodes itself. `[T]` is a slice, and
 * `map[string]string` is itself.
 */
export type GoType = string | readonly [GoType] | GoStruct;

export interface GoStruct {
  readonly name: string;
  /** All fields, also those of the embedded struct. */
  readonly fields: ReadonlyMap<string, GoType>;
  /** The embedded struct. Go names it in the paths of its fields although JSON does not have it. */
  readonly embedded: GoStruct | undefined;
}

function struct(name: string, fields: Readonly<Record<string, GoType>>, embedded?: GoStruct): GoStruct {
  return { name, fields: new Map([...(embedded?.fields ?? []), ...Object.entries(fields)]), embedded };
}

const STRING_MAP = 'map[string]string';

const exec = struct('ExecAction', { command: ['string'] });
const httpHeader = struct('HTTPHeader', { name: 'string', value: 'string' });
const httpGet = struct('HTTPGetAction', {
  path: 'string',
  port: 'int-or-string',
  host: 'string',
  scheme: 'v1.URIScheme',
  httpHeaders: [httpHeader],
  protocol: 'v1.HTTPProtocol',
});
const tcpSocket = struct('TCPSocketAction', { port: 'int-or-string', host: 'string' });
const grpc = struct('GRPCAction', { port: 'int32', service: 'string', mode: 'v1.GRPCProbeMode' });
const sleep = struct('SleepAction', { seconds: 'int64' });

/** The handlers of a probe. */
export const HANDLER_TYPES: Readonly<Record<HandlerKind, GoStruct>> = { exec, httpGet, tcpSocket, grpc };
const hook = struct('LifecycleHandler', { exec, httpGet, tcpSocket, sleep });

/** A probe, with the fields of its handlers' struct embedded. */
export const PROBE_TYPE = struct(
  'Probe',
  Object.fromEntries(
    PROBE_INTEGERS.map((field) => [field, field === 'terminationGracePeriodSeconds' ? 'int64' : 'int32']),
  ),
  struct('ProbeHandler', HANDLER_TYPES),
);

const port = struct('ContainerPort', {
  name: 'string',
  hostPort: 'int32',
  containerPort: 'int32',
  protocol: 'v1.Protocol',
  hostIP: 'string',
});

const restartRule = struct('ContainerRestartRule', {
  action: 'v1.ContainerRestartRuleAction',
  exitCodes: struct('ContainerRestartRuleOnExitCodes', {
    operator: 'v1.ContainerRestartRuleOnExitCodesOperator',
    values: ['int32'],
  }),
});

const containerFields: Readonly<Record<string, GoType>> = {
  name: 'string',
  image: 'string',
  command: ['string'],
  args: ['string'],
  workingDir: 'string',
  ports: [port],
  env: [struct('EnvVar', { name: 'string', value: 'string' })],
  restartPolicy: 'v1.ContainerRestartPolicy',
  restartPolicyRules: [restartRule],
  livenessProbe: PROBE_TYPE,
  readinessProbe: PROBE_TYPE,
  startupProbe: PROBE_TYPE,
  lifecycle: struct('Lifecycle', { postStart: hook, preStop: hook, stopSignal: 'v1.Signal' }),
};

/** A container, with the fields that the rules for probes need. */
export const CONTAINER_TYPE = struct('Container', containerFields);

const ephemeralContainer = struct(
  'EphemeralContainer',
  { targetContainerName: 'string' },
  struct('EphemeralContainerCommon', containerFields),
);

const POD_SPEC_TYPE = struct('PodSpec', {
  containers: [CONTAINER_TYPE],
  initContainers: [CONTAINER_TYPE],
  ephemeralContainers: [ephemeralContainer],
  restartPolicy: 'v1.RestartPolicy',
  terminationGracePeriodSeconds: 'int64',
  nodeSelector: STRING_MAP,
});

/** The words that people write into `metadata`. kubectl decodes them itself, with Go's words. */
export const METADATA_TYPE = struct('ObjectMeta', {
  name: 'string',
  generateName: 'string',
  namespace: 'string',
  labels: STRING_MAP,
  annotations: STRING_MAP,
});

/** The selector of a built-in kind. */
export const SELECTOR_TYPE = struct('LabelSelector', { matchLabels: STRING_MAP });

/** Why the API server cannot decode a part of an object. */
export interface DecodeProblem {
  /** The value's own path, with indices, which the server's message does not have. */
  readonly path: FieldPath;
  /** The end of the server's message, after `Pod in version "v1" cannot be handled as a Pod: `. */
  readonly message: string;
}

/**
 * The API server's answer 400 for a value of a type that its field cannot take. Go's decoder reports the first one, but
 * a port that is neither number nor string stops it (sigs.k8s.io/json, decode.go, saveError; intstr.go, UnmarshalJSON).
 * The server refuses `1.0` and 9223372036854775808 (for an int64): parsed JSON has lost these texts, so such values are
 * accepted here unless they come as a NumberLiteral.
 *
 * @param type the Go type at the place; without it, that of a Pod spec
 */
export function decodeProblem(
  value: unknown,
  place: FieldPlace,
  type: GoType = POD_SPEC_TYPE,
): DecodeProblem | undefined {
  const found = mismatchIn(value, type);
  if (found === undefined) return undefined;
  const above = place.path();
  const kind = jsonKind(found.value, typeof found.type === 'string' && INTEGERS.includes(found.type));
  const names = [formatPath(above), ...found.names].join('.');
  const field = `Go struct field ${found.struct}.${names} of type ${goTypeName(found.type)}`;
  return { path: [...above, ...found.steps], message: `json: cannot unmarshal ${kind} into ${field}` };
}

/** A value of a type that its field cannot take. Its place is built on the way back, since most objects have none. */
interface Mismatch {
  readonly value: unknown;
  readonly type: GoType;
  /** The steps to the value, and the decoder's name for it: the innermost struct, and names without indices. */
  readonly steps: readonly PathStep[];
  readonly struct: string;
  readonly names: readonly string[];
}

/** The mismatch that the decoder reports. Null fits every type: it leaves the zero value. */
function mismatchIn(value: unknown, type: GoType): Mismatch | undefined {
  if (!isPresent(value)) return undefined;
  const fitting =
    typeof type === 'string' && type !== STRING_MAP
      ? fits(value, type)
      : typeof type === 'string' || 'fields' in type
        ? isJsonObject(value) && !(value instanceof NumberLiteral)
        : Array.isArray(value);
  if (!fitting) return { value, type, steps: [], struct: '', names: [] };
  if (typeof value !== 'object' || value === null) return undefined;
  let first: Mismatch | undefined;
  // One loop over indices: iterators of two kinds took a sixth of the garbage of an answer.
  const keys = Array.isArray(value) ? undefined : Object.keys(value);
  const { length } = keys ?? (value as readonly unknown[]);
  for (let at = 0; at < length; at += 1) {
    const step = keys?.[at] ?? at;
    const inner = typeof type === 'string' ? 'string' : 'fields' in type ? type.fields.get(String(step)) : type[0];
    const found = inner && mismatchIn((value as Readonly<Record<PathStep, unknown>>)[step], inner);
    if (!found) continue;
    const placed = placedIn(type, step, found);
    if (found.type === 'int-or-string') return placed;
    first ??= placed;
  }
  return first;
}

/** Go's words name neither an index nor the key of a map. */
function placedIn(type: GoType, step: PathStep, { struct, steps, names, ...found }: Mismatch): Mismatch {
  const placed = { ...found, steps: [step, ...steps] };
  if (typeof type === 'string' || !('fields' in type)) return { ...placed, struct, names };
  const own = type.embedded?.fields.has(String(step)) === true ? [type.embedded.name, String(step)] : [String(step)];
  return { ...placed, struct: struct || type.name, names: [...own, ...names] };
}

/** The name of a type in an error of Go's decoder. IntOrString decodes a value that is no string as an int32. */
function goTypeName(type: GoType): string {
  if (typeof type === 'string') return type === 'int-or-string' ? 'int32' : type;
  return 'fields' in type ? `v1.${type.name}` : `[]${goTypeName(type[0])}`;
}

const INTEGERS = ['int32', 'int64', 'int-or-string'];
/** The largest int64 is not a JavaScript number; it is read as 2^63. */
const INT64_MAX = 2 ** 63;

/** A NumberLiteral is a number that fits no integer. */
function fits(value: unknown, type: string): boolean {
  if (typeof value === 'string') return type === 'int-or-string' || (type !== STRING_MAP && !INTEGERS.includes(type));
  if (typeof value !== 'number' || !INTEGERS.includes(type) || !Number.isInteger(value)) return false;
  return type === 'int64' ? Math.abs(value) <= INT64_MAX : value >= -INT32_MAX - 1 && value <= INT32_MAX;
}

/** Go's name for a JSON value. Go shows the number itself only where the field wants an integer. */
function jsonKind(value: unknown, wantsInteger: boolean): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (!(value instanceof NumberLiteral) && typeof value !== 'number') return typeof value;
  if (!wantsInteger) return 'number';
  return `number ${value instanceof NumberLiteral ? value.source : value}`;
}
