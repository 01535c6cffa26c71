import { HANDLER_KINDS } from './probe.ts';
import type { HandlerKind } from './probe.ts';

/*
 * The Go types behind a Pod spec, for probes and the fields that their rules need
 * (staging/src/k8s.io/api/core/v1/types.go, Kubernetes 1.37 with its alpha features on). A field that is not listed
 * here passes undecoded, as an unknown field does.
 */

/** A Go type that JSON is decoded into. `name` is the type as Go's decoder spells it in an error. */
export type GoType =
  | GoString
  | { readonly kind: 'integer'; readonly name: 'int32' | 'int64' }
  /** intstr.IntOrString, which decodes itself: into an int32 when the value is no string, and its errors say so. */
  | { readonly kind: 'int-or-string'; readonly name: 'int32' }
  | { readonly kind: 'list'; readonly name: string; readonly element: GoType }
  | GoStruct;

interface GoString {
  readonly kind: 'string';
  readonly name: string;
}

export interface GoStruct {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: ReadonlyMap<string, GoField>;
}

export interface GoField {
  readonly type: GoType;
  /** The embedded struct that the field comes from; Go names it in the field's path although JSON does not have it. */
  readonly embedded?: string;
}

const text = string('string');
const int32: GoType = { kind: 'integer', name: 'int32' };
const int64: GoType = { kind: 'integer', name: 'int64' };
const intOrString: GoType = { kind: 'int-or-string', name: 'int32' };

function string(name: string): GoString {
  return { kind: 'string', name };
}

function list(element: GoType): GoType {
  return { kind: 'list', name: `[]${element.name}`, element };
}

function struct(name: string, types: Readonly<Record<string, GoType>>): GoStruct {
  const fields = Object.entries(types).map(([field, type]) => [field, { type }] as const);
  return { kind: 'struct', name: `v1.${name}`, fields: new Map(fields) };
}

/** The same fields, as they look in a struct that embeds the one they were declared in. */
function embeddedFields(embedded: string, fields: GoStruct['fields']): GoStruct['fields'] {
  return new Map(Array.from(fields, ([field, { type }]) => [field, { type, embedded }]));
}

const exec = struct('ExecAction', { command: list(text) });

/** A header of an httpGet handler. */
export const HTTP_HEADER_TYPE = struct('HTTPHeader', { name: text, value: text });

const httpGet = struct('HTTPGetAction', {
  path: text,
  port: intOrString,
  host: text,
  scheme: string('v1.URIScheme'),
  httpHeaders: list(HTTP_HEADER_TYPE),
  protocol: string('v1.HTTPProtocol'),
});
const tcpSocket = struct('TCPSocketAction', { port: intOrString, host: text });
const grpc = struct('GRPCAction', { port: int32, service: text, mode: string('v1.GRPCProbeMode') });
const sleep = struct('SleepAction', { seconds: int64 });

/** The handlers of a probe. */
export const HANDLER_TYPES: Readonly<Record<HandlerKind, GoStruct>> = { exec, httpGet, tcpSocket, grpc };

const probeHandler = struct('ProbeHandler', HANDLER_TYPES);
const hook = struct('LifecycleHandler', { exec, httpGet, tcpSocket, sleep });

const integers = struct('Probe', {
  initialDelaySeconds: int32,
  timeoutSeconds: int32,
  periodSeconds: int32,
  successThreshold: int32,
  failureThreshold: int32,
  terminationGracePeriodSeconds: int64,
});

/** A probe, with the fields of its handlers' struct embedded. */
export const PROBE_TYPE: GoStruct = {
  ...integers,
  fields: new Map([...embeddedFields('ProbeHandler', probeHandler.fields), ...integers.fields]),
};

const port = struct('ContainerPort', {
  name: text,
  hostPort: int32,
  containerPort: int32,
  protocol: string('v1.Protocol'),
  hostIP: text,
});

const restartRule = struct('ContainerRestartRule', {
  action: string('v1.ContainerRestartRuleAction'),
  exitCodes: struct('ContainerRestartRuleOnExitCodes', {
    operator: string('v1.ContainerRestartRuleOnExitCodesOperator'),
    values: list(int32),
  }),
});

/** A container, with the fields that the rules for probes need. */
export const CONTAINER_TYPE = struct('Container', {
  name: text,
  image: text,
  command: list(text),
  args: list(text),
  workingDir: text,
  ports: list(port),
  restartPolicy: string('v1.ContainerRestartPolicy'),
  restartPolicyRules: list(restartRule),
  livenessProbe: PROBE_TYPE,
  readinessProbe: PROBE_TYPE,
  startupProbe: PROBE_TYPE,
  lifecycle: struct('Lifecycle', { postStart: hook, preStop: hook, stopSignal: string('v1.Signal') }),
});

const ephemeralContainer: GoStruct = {
  kind: 'struct',
  name: 'v1.EphemeralContainer',
  fields: new Map([
    ...embeddedFields('EphemeralContainerCommon', CONTAINER_TYPE.fields),
    ['targetContainerName', { type: text }],
  ]),
};

export const POD_SPEC_TYPE: GoStruct = struct('PodSpec', {
  containers: list(CONTAINER_TYPE),
  initContainers: list(CONTAINER_TYPE),
  ephemeralContainers: list(ephemeralContainer),
  restartPolicy: string('v1.RestartPolicy'),
  terminationGracePeriodSeconds: int64,
});

/** The fields of a core/v1 Probe. */
export const PROBE_FIELDS: readonly string[] = [...PROBE_TYPE.fields.keys()];

/** The fields of each handler of a probe. */
export const HANDLER_FIELDS: ReadonlyMap<HandlerKind, readonly string[]> = new Map(
  HANDLER_KINDS.map((kind) => [kind, [...HANDLER_TYPES[kind].fields.keys()]]),
);

/** The fields of a header of an httpGet handler. */
export const HEADER_FIELDS: readonly string[] = [...HTTP_HEADER_TYPE.fields.keys()];
