import { PROBE_INTEGERS, type HandlerKind } from './probe.ts';
import { formatPath, type FieldPath, type FieldPlace } from '../../base/json/field-path.ts';
import { NumberLiteral, isJsonObject, isPresent, type JsonObject } from '../../base/json/json-value.ts';
import { INT32_MAX } from './go-values.ts';

/*
 * The Go types behind a Pod spec, for probes and the fields that their rules need
 * (staging/src/k8s.io/api/core/v1/types.go, Kubernetes 1.37 with its alpha features on). A field that is not listed
 * here passes undecoded, as an unknown field does.
 */

/**
 * A Go type that JSON is decoded into. A scalar is the type as Go's decoder spells it in an error: `int32`, `int64`, or
 * the name of a type of strings. `int-or-string` is intstr.IntOrString, which decodes itself. `[T]` is a slice.
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
});

/** Why the API server cannot decode a Pod spec. */
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
 */
export function decodeProblem(podSpec: JsonObject, podSpecPlace: FieldPlace): DecodeProblem | undefined {
  const found: Mismatch[] = [];
  addMismatches(found, podSpec, POD_SPEC_TYPE, {
    place: podSpecPlace,
    struct: '',
    names: formatPath(podSpecPlace.path()),
  });
  const first = found.find(({ type }) => type === 'int-or-string') ?? found[0];
  if (first === undefined) return undefined;
  const { value, type, place, struct, names } = first;
  const kind = jsonKind(value, typeof type === 'string' && INTEGERS.includes(type));
  const field = `Go struct field ${struct}.${names} of type ${goTypeName(type)}`;
  return { path: place.path(), message: `json: cannot unmarshal ${kind} into ${field}` };
}

/** A place in the object: our own, and the decoder's name for it: the innermost struct, and names without indices. */
interface Place {
  readonly place: FieldPlace;
  readonly struct: string;
  readonly names: string;
}

/** A value of a type that its field cannot take. */
interface Mismatch extends Place {
  readonly value: unknown;
  readonly type: GoType;
}

/** Adds the mismatches in the order of the document. Null fits every type: it leaves the zero value. */
function addMismatches(found: Mismatch[], value: unknown, type: GoType, at: Place): void {
  if (!isPresent(value)) return;
  if (typeof type === 'string') {
    if (!fits(value, type)) found.push({ value, type, ...at });
  } else if ('fields' in type && isJsonObject(value) && !(value instanceof NumberLiteral)) {
    for (const [name, inner] of Object.entries(value)) {
      const innerType = type.fields.get(name);
      if (innerType === undefined) continue;
      const goName = type.embedded?.fields.has(name) === true ? `${type.embedded.name}.${name}` : name;
      const below = { place: at.place.at(name), struct: type.name, names: `${at.names}.${goName}` };
      addMismatches(found, inner, innerType, below);
    }
  } else if (!('fields' in type) && Array.isArray(value)) {
    for (const [index, element] of value.entries())
      addMismatches(found, element, type[0], { ...at, place: at.place.at(index) });
  } else found.push({ value, type, ...at });
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
  if (typeof value === 'string') return !INTEGERS.includes(type) || type === 'int-or-string';
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
