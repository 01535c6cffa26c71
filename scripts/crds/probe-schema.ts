import { DISABLED } from '../../src/engine/policy/probe-default.ts';
import { BOUNDS } from '../../src/engine/policy/bounds.ts';
import { INT32_MAX } from '../../src/engine/probe/go-values.ts';
import { HEADER_NAME_PATTERN } from '../../src/engine/probe/handler-values.ts';
import {
  HANDLER_KINDS,
  PROBE_INTEGERS,
  type HandlerKind,
  type ProbeInteger,
  type ProbeKind,
} from '../../src/engine/probe/probe.ts';
import { portSchema } from './port-schema.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

/** An absolute HTTP path; without spaces and control characters, which the kubelet's URL does not survive. */
export const pathSchema: OpenApiSchema = {
  type: 'string',
  minLength: 1,
  maxLength: BOUNDS.path.maximum,
  pattern: '^/[^\\x00-\\x20\\x7f]*$',
};

const host: OpenApiSchema = {
  description:
    'Host name or IP address to connect to. Leave it out: the default is the Pod itself, and anything else makes the container answer for another machine. For a virtual host, set the Host header.',
  type: 'string',
  maxLength: BOUNDS.host.maximum,
  pattern: '^([A-Za-z0-9._-]{0,253}|\\[?[0-9A-Fa-f:.]{2,45}\\]?)$',
};

const handlers: Readonly<Record<HandlerKind, OpenApiSchema>> = {
  exec: {
    description: 'Runs a program in the container; exit code 0 is success. It costs a process each time.',
    type: 'object',
    required: ['command'],
    properties: {
      command: {
        description:
          'The program and its arguments, e.g. [/app/ready, --quick]. No shell reads it: for pipes and variables write [sh, -c, "..."].',
        type: 'array',
        minItems: 1,
        maxItems: BOUNDS.command.maximum,
        'x-kubernetes-list-type': 'atomic',
        items: { type: 'string', maxLength: BOUNDS.commandWord.maximum },
        'x-kubernetes-validations': [
          {
            rule: "size(self) == 0 || self[0].trim() != ''",
            message: 'the first element must name the program to run',
          },
        ],
      },
    },
  },
  httpGet: {
    description:
      'Asks an HTTP path; a status from 200 to 399 is success. Every field may be left out: path may come from spec.kubernetesProbeEndpoints, and port from spec.port or the container.',
    type: 'object',
    properties: {
      path: {
        ...pathSchema,
        description:
          'The path, with a leading "/", e.g. /healthz. Usually written shorter in spec.kubernetesProbeEndpoints; given in both places, the two must be equal.',
      },
      port: {
        ...portSchema,
        description:
          'The container port, by number or name, e.g. 8080 or http. Absent: spec.port, else what the container declares (its port named http, then https, then http-*, else its only port).',
      },
      host,
      scheme: {
        description: 'HTTP or HTTPS; absent means HTTP. The certificate is not verified.',
        type: 'string',
        enum: ['HTTP', 'HTTPS'],
      },
      httpHeaders: {
        description: 'Headers to send, e.g. [{ name: Host, value: shop.example }]. A name may come more than once.',
        type: 'array',
        maxItems: BOUNDS.headers.maximum,
        'x-kubernetes-list-type': 'atomic',
        items: {
          description: 'One header.',
          type: 'object',
          required: ['name', 'value'],
          properties: {
            name: {
              description: 'The name: letters, digits and "-".',
              type: 'string',
              minLength: 1,
              maxLength: BOUNDS.headerName.maximum,
              pattern: `^${HEADER_NAME_PATTERN}$`,
            },
            value: {
              description:
                'The value, without control characters: with a line break, as a YAML block "|" leaves one, every probe would fail.',
              type: 'string',
              maxLength: BOUNDS.headerValue.maximum,
              pattern: '^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$',
            },
          },
        },
      },
    },
  },
  tcpSocket: {
    description:
      'Opens a TCP connection; that it opens is success. It says little: something that listens may hang all the same.',
    type: 'object',
    required: ['port'],
    properties: { port: { ...portSchema, description: 'The container port, by number or name, e.g. 5432.' }, host },
  },
  grpc: {
    description: 'Asks the gRPC health service (grpc.health.v1.Health/Check); SERVING is success.',
    type: 'object',
    required: ['port'],
    properties: {
      port: {
        description: 'The port, a number: Kubernetes knows no port names here.',
        type: 'integer',
        format: 'int32',
        minimum: 1,
        maximum: 65_535,
      },
      service: {
        description: 'The service to ask about; absent means the server as a whole.',
        type: 'string',
        maxLength: BOUNDS.service.maximum,
      },
    },
  },
};

const integers: Readonly<Record<ProbeInteger, { readonly text: string; readonly fallback: string }>> = {
  initialDelaySeconds: {
    text: 'Seconds after the start of the container before the first probe. A startup probe does this better.',
    fallback: '0',
  },
  timeoutSeconds: { text: 'Seconds after which an unanswered probe counts as failed.', fallback: '1' },
  periodSeconds: { text: 'Seconds from one probe to the next.', fallback: '10' },
  successThreshold: { text: 'Successes in a row until the probe counts as passed.', fallback: '1' },
  failureThreshold: { text: 'Failures in a row until the probe counts as failed.', fallback: '3' },
  terminationGracePeriodSeconds: {
    text: "Seconds that the container gets to stop after this probe has killed it, in place of the Pod's own.",
    fallback: "the Pod's",
  },
};

function integerSchema(kind: ProbeKind, field: ProbeInteger): OpenApiSchema {
  const { text, fallback } = integers[field];
  const onlyOne = field === 'successThreshold' && kind !== 'readinessProbe';
  const forbidden = field === 'terminationGracePeriodSeconds' && kind === 'readinessProbe';
  return {
    description: forbidden
      ? 'Not for a readiness probe, which kills nothing: Kubernetes refuses it.'
      : `${text}${onlyOne ? ` Must be 1 for a ${kind}.` : ''} Absent: what a lower layer says, else Kubernetes' default (${fallback}). null: Kubernetes' default, whatever lower layers say.`,
    type: 'integer',
    format: field === 'terminationGracePeriodSeconds' ? 'int64' : 'int32',
    nullable: true,
    minimum: field === 'initialDelaySeconds' ? 0 : 1,
    maximum: onlyOne ? 1 : INT32_MAX,
  };
}

const roles: Readonly<Record<ProbeKind, string>> = {
  livenessProbe: 'The liveness probe: when it fails, the container is restarted. It should look at the process alone.',
  readinessProbe: 'The readiness probe: while it fails, the Pod gets no traffic from Services.',
  startupProbe:
    'The startup probe: the other two wait until it has passed, and it alone may kill a container that is starting.',
};

/** What a policy says about one probe: core/v1 Probe with every field optional. */
export function probeSchema(kind: ProbeKind): OpenApiSchema {
  return {
    description: `${roles[kind]} Fields that you leave out come from lower layers; a handler replaces a lower layer's as a whole. Example: { periodSeconds: 5, failureThreshold: 3 }. { disabled: true }, or null: never add this probe here, whatever lower layers say${kind === 'startupProbe' ? ', and not for safety either' : ''}. Plain "kubectl apply" drops nulls, so write disabled.`,
    type: 'object',
    nullable: true,
    properties: {
      ...Object.fromEntries(HANDLER_KINDS.map((handler) => [handler, handlers[handler]])),
      ...Object.fromEntries(PROBE_INTEGERS.map((field) => [field, integerSchema(kind, field)])),
      [DISABLED]: {
        description: `true: never add a ${kind} here, whatever lower layers say; it must stand alone. false says nothing.`,
        type: 'boolean',
      },
    },
    // A rule in CEL would have the better message, but does not see fields that are null.
    anyOf: [{ properties: { [DISABLED]: { enum: [false] } } }, { maxProperties: 1 }],
    'x-kubernetes-validations': [
      {
        rule: `${HANDLER_KINDS.map((handler) => `(has(self.${handler}) ? 1 : 0)`).join(' + ')} <= 1`,
        message: 'must have one handler: exec, httpGet, tcpSocket or grpc',
      },
      ...(kind === 'readinessProbe'
        ? [
            {
              rule: '!has(self.terminationGracePeriodSeconds)',
              message: 'terminationGracePeriodSeconds must not be set for a readinessProbe',
            },
          ]
        : []),
    ],
  };
}
