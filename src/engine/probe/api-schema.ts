import { PROBE_INTEGERS, type HandlerKind } from './probe.ts';
import { formatPath, type FieldPath, type FieldPlace } from '../../base/json/field-path.ts';
import { NumberLiteral, isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { INT32_MAX } from './go-values.ts';

/*
 * The Go types behind a Pod spec, for probes and the fields that their rules need
 * (staging/src/k8s.io/api/core/v1/types.go, Kubernetes 1.37 with its alpha features on). A field that is not listed
 * here passes undecoded, as an unknown field does.
 */

/**
 * A Go type that JSON is decoded into. A scalar is the type as Go's decoder spells it in an error: `int32`, `int64`, or
 * the name of a type of strings. `int-or-string` is intstr.IntOrString, which decodes itself.
 */
export type GoType = string | { readonly kind: 'list'; readonly element: GoType } | GoStruct;

export interface GoStruct {
  readonly kind: 'struct';
  readonly name: string;
  /** All fields, also those of the embedded struct. */
  readonly fields: ReadonlyMap<string, GoType>;
  /** The embedded struct. Go names it in the paths of its fields although JSON does not have it. */
  readonly embedded: GoStruct | undefined;
}

/** The name of a type in an error of Go's decoder. IntOrString decodes a value that is no string as an int32. */
function goTypeName(type: GoType): string {
  if (typeof type === 'string') return type === 'int-or-string' ? 'int32' : type;
  return type.kind === 'list' ? `[]${goTypeName(type.element)}` : `v1.${type.name}`;
}

function list(element: GoType): GoType {
  return { kind: 'list', element };
}

function struct(name: string, fields: Readonly<Record<string, GoType>>, embedded?: GoStruct): GoStruct {
  return { kind: 'struct', name, fields: new Map([...(embedded?.fields ?? []), ...Object.entries(fields)]), embedded };
}

const exec = struct('ExecAction', { command: list('string') });
const httpHeader = struct('HTTPHeader', { name: 'string', value: 'string' });
const httpGet = struct('HTTPGetAction', {
  path: 'string',
  port: 'int-or-string',
  host: 'string',
  scheme: 'v1.URIScheme',
  httpHeaders: list(httpHeader),
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
    values: list('int32'),
  }),
});

const containerFields = {
  name: 'string',
  image: 'string',
  command: list('string'),
  args: list('string'),
  workingDir: 'string',
  ports: list(port),
  restartPolicy: 'v1.ContainerRestartPolicy',
  restartPolicyRules: list(restartRule),
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
  containers: list(CONTAINER_TYPE),
  initContainers: list(CONTAINER_TYPE),
  ephemeralContainers: list(ephemeralContainer),
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
  const found: Problem[] = [];
  const top = { own: podSpecPlace, struct: '', field: () => formatPath(podSpecPlace.path()) };
  addProblems(found, podSpec, POD_SPEC_TYPE, top);
  const problem = found.find(({ stops }) => stops) ?? found[0];
  return problem && { path: problem.path, message: problem.message };
}

interface Problem extends DecodeProblem {
  readonly stops: boolean;
}

/** A place in the object: our own, and the decoder's name for it. Nearly every Pod spec decodes, and needs no name. */
interface Place {
  readonly own: FieldPlace;
  /** The innermost struct. */
  readonly struct: string;
  /** Field names from the top, without indices. */
  readonly field: () => string;
}

/** Adds the problems in the order of the document. Null fits every type: it leaves the zero value. */
function addProblems(found: Problem[], value: unknown, type: GoType, place: Place): void {
  if (value === null || value === undefined) return;
  if (typeof type === 'string') {
    if (!fits(value, type)) found.push(mismatch(value, type, place));
  } else if (type.kind === 'struct' && isJsonObject(value) && !(value instanceof NumberLiteral)) {
    for (const [name, inner] of Object.entries(value)) {
      const innerType = type.fields.get(name);
      if (innerType === undefined) continue;
      const goName = type.embedded?.fields.has(name) === true ? `${type.embedded.name}.${name}` : name;
      const below = { own: place.own.at(name), struct: type.name, field: () => `${place.field()}.${goName}` };
      addProblems(found, inner, innerType, below);
    }
  } else if (type.kind === 'list' && Array.isArray(value)) {
    for (const [index, element] of value.entries())
      addProblems(found, element, type.element, { ...place, own: place.own.at(index) });
  } else found.push(mismatch(value, type, place));
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

function mismatch(value: unknown, type: GoType, { own, struct, field }: Place): Problem {
  return {
    path: own.path(),
    message:
      `json: cannot unmarshal ${jsonKind(value, typeof type === 'string' && INTEGERS.includes(type))} ` +
      `into Go struct field ${struct}.${field()} of type ${goTypeName(type)}`,
    stops: type === 'int-or-string',
  };
}

/** Go's name for a JSON value. Go shows the number itself only where the field wants an integer. */
function jsonKind(value: unknown, wantsInteger: boolean): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (!(value instanceof NumberLiteral) && typeof value !== 'number') return typeof value;
  if (!wantsInteger) return 'number';
  return `number ${value instanceof NumberLiteral ? value.source : value}`;
}
