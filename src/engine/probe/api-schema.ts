import { HANDLER_KINDS, type HandlerKind } from './probe.ts';

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
export function goTypeName(type: GoType): string {
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

const handlers: Readonly<Record<HandlerKind, GoStruct>> = { exec, httpGet, tcpSocket, grpc };
const hook = struct('LifecycleHandler', { exec, httpGet, tcpSocket, sleep });

/** A probe, with the fields of its handlers' struct embedded. */
export const PROBE_TYPE = struct(
  'Probe',
  {
    initialDelaySeconds: 'int32',
    timeoutSeconds: 'int32',
    periodSeconds: 'int32',
    successThreshold: 'int32',
    failureThreshold: 'int32',
    terminationGracePeriodSeconds: 'int64',
  },
  struct('ProbeHandler', handlers),
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

export const POD_SPEC_TYPE = struct('PodSpec', {
  containers: list(CONTAINER_TYPE),
  initContainers: list(CONTAINER_TYPE),
  ephemeralContainers: list(ephemeralContainer),
  restartPolicy: 'v1.RestartPolicy',
  terminationGracePeriodSeconds: 'int64',
});

/** The fields of a core/v1 Probe. */
export const PROBE_FIELDS: readonly string[] = [...PROBE_TYPE.fields.keys()];

/** The fields of each handler of a probe. */
export const HANDLER_FIELDS: ReadonlyMap<HandlerKind, readonly string[]> = new Map(
  HANDLER_KINDS.map((kind) => [kind, [...handlers[kind].fields.keys()]]),
);

/** The fields of a header of an httpGet handler. */
export const HEADER_FIELDS: readonly string[] = [...httpHeader.fields.keys()];
