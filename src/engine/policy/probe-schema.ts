import { quoted } from '../../base/json/quoted-value.ts';
import { HEADER_NAME_PATTERN, HIGHEST_PORT, namesNoProgram } from '../probe/handler-values.ts';
import { HANDLER_KINDS, PROBE_INTEGERS, type HandlerKind, type ProbeInteger, type ProbeKind } from '../probe/probe.ts';
import { BOUNDS } from './bounds.ts';
import { HOST_PATTERN } from './probe-policy.ts';
import type { Field, Fields, ObjectField } from './field.ts';

/** `disabled: true` means the same as null. A client-side `kubectl apply` drops nulls, and keeps `disabled: true`. */
export const DISABLED = 'disabled';

const matching =
  (pattern: string, message: (text: string) => string) =>
  (text: string): string | undefined =>
    new RegExp(pattern).test(text) ? undefined : message(text);

const host: Field = {
  type: 'text',
  text: 'Host name or IP address to connect to. Leave it out: the default is the Pod itself, and anything else makes the container answer for another machine. For a virtual host, set the Host header.',
  bound: BOUNDS.host,
  pattern: HOST_PATTERN,
  problem: matching(HOST_PATTERN, (text) => `${quoted(text)} is no host name or IP address`),
};

const HEADER_NAME = `^${HEADER_NAME_PATTERN}$`;
const HEADER_VALUE = '^[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$';

const header: Field = {
  type: 'object',
  text: 'One header.',
  fields: {
    name: {
      type: 'text',
      required: true,
      text: 'The name: letters, digits and "-".',
      shortest: 1,
      bound: BOUNDS.headerName,
      pattern: HEADER_NAME,
      problem: matching(HEADER_NAME, (text) => `${quoted(text)} is not a header name: letters, digits and "-"`),
    },
    value: {
      type: 'text',
      required: true,
      text: 'The value, without control characters: with a line break, as a YAML block "|" leaves one, every probe would fail.',
      bound: BOUNDS.headerValue,
      pattern: HEADER_VALUE,
      problem: matching(HEADER_VALUE, () => 'must have no control characters: the probe would fail every time'),
    },
  },
};

/** The four handlers. A policy keeps their fields as they are written. */
export const HANDLERS: Readonly<Record<HandlerKind, ObjectField>> = {
  exec: {
    type: 'object',
    text: 'Runs a program in the container; exit code 0 is success. It costs a process each time.',
    fields: {
      command: {
        type: 'list',
        required: true,
        text: 'The program and its arguments, e.g. [/app/ready, --quick]. No shell reads it: for pipes and variables write [sh, -c, "..."].',
        count: BOUNDS.command,
        empty: 'must name the program to run',
        items: { type: 'text', text: '', bound: BOUNDS.commandWord },
        rules: [
          {
            rule: "size(self) == 0 || self[0].trim() != ''",
            message: 'the first element must name the program to run',
          },
        ],
        check([program]: readonly unknown[], place) {
          if (namesNoProgram(program)) place.at(0).report('must name the program to run');
        },
      },
    },
  },
  httpGet: {
    type: 'object',
    text: 'Asks an HTTP path; a status from 200 to 399 is success. Every field may be left out: path may come from spec.kubernetesProbeEndpoints, and port from spec.port or the container.',
    fields: {
      path: {
        type: 'path',
        text: 'The path, with a leading "/", e.g. /healthz. Usually written shorter in spec.kubernetesProbeEndpoints; given in both places, the two must be equal.',
      },
      port: {
        type: 'port',
        text: 'The container port, by number or name, e.g. 8080 or http. Absent: spec.port, else what the container declares (its port named http, then https, then http-*, else its only port).',
      },
      host,
      scheme: {
        type: 'choice',
        text: 'HTTP or HTTPS; absent means HTTP. The certificate is not verified.',
        choices: ['HTTP', 'HTTPS'],
      },
      httpHeaders: {
        type: 'list',
        text: 'Headers to send, e.g. [{ name: Host, value: shop.example }]. A name may come more than once.',
        count: BOUNDS.headers,
        items: header,
      },
    },
  },
  tcpSocket: {
    type: 'object',
    text: 'Opens a TCP connection; that it opens is success. It says little: something that listens may hang all the same.',
    fields: {
      port: { type: 'port', required: true, text: 'The container port, by number or name, e.g. 5432.' },
      host,
    },
  },
  grpc: {
    type: 'object',
    text: 'Asks the gRPC health service (grpc.health.v1.Health/Check); SERVING is success.',
    fields: {
      port: {
        type: 'integer',
        required: true,
        text: 'The port, a number: Kubernetes knows no port names here.',
        minimum: 1,
        maximum: HIGHEST_PORT,
      },
      service: {
        type: 'text',
        text: 'The service to ask about; absent means the server as a whole.',
        bound: BOUNDS.service,
      },
    },
  },
};

const INTEGERS: Readonly<Record<ProbeInteger, readonly [text: string, fallback: string]>> = {
  initialDelaySeconds: [
    'Seconds after the start of the container before the first probe. A startup probe does this better.',
    '0',
  ],
  timeoutSeconds: ['Seconds after which an unanswered probe counts as failed.', '1'],
  periodSeconds: ['Seconds from one probe to the next.', '10'],
  successThreshold: ['Successes in a row until the probe counts as passed.', '1'],
  failureThreshold: ['Failures in a row until the probe counts as failed.', '3'],
  terminationGracePeriodSeconds: [
    "Seconds that the container gets to stop after this probe has killed it, in place of the Pod's own.",
    "the Pod's",
  ],
};

/** Two rules depend on the probe: pkg/apis/core/validation/validation.go, validateLivenessProbe and its siblings. */
function integerOf(kind: ProbeKind, name: ProbeInteger): Field {
  const [text, fallback] = INTEGERS[name];
  const minimum = name === 'initialDelaySeconds' ? 0 : 1;
  if (name === 'terminationGracePeriodSeconds' && kind === 'readinessProbe')
    return {
      type: 'integer',
      format: 'int64',
      nullMeans: true,
      text: 'Not for a readiness probe, which kills nothing: Kubernetes refuses it.',
      minimum,
      check: (_, place) => place.report('must not be set for a readinessProbe'),
    };
  const onlyOne = name === 'successThreshold' && kind !== 'readinessProbe';
  return {
    type: 'integer',
    text: `${text}${onlyOne ? ` Must be 1 for a ${kind}.` : ''}`,
    otherwise: `Kubernetes' default (${fallback})`,
    nullMeans: "Kubernetes' default",
    minimum,
    ...(name === 'terminationGracePeriodSeconds' && { format: 'int64' }),
    ...(onlyOne && { maximum: 1, beyond: `must be 1 for a ${kind}` }),
  };
}

const ROLES: Readonly<Record<ProbeKind, string>> = {
  livenessProbe: 'The liveness probe: when it fails, the container is restarted. It should look at the process alone.',
  readinessProbe: 'The readiness probe: while it fails, the Pod gets no traffic from Services.',
  startupProbe:
    'The startup probe: the other two wait until it has passed, and it alone may kill a container that is starting.',
};

/** What a policy says about one probe: core/v1 Probe with every field optional. */
function probeOf(kind: ProbeKind): ObjectField {
  const handlers = HANDLER_KINDS.map((handler) => `(has(self.${handler}) ? 1 : 0)`);
  return {
    type: 'object',
    text: `${ROLES[kind]} Fields that you leave out come from lower layers; a handler replaces a lower layer's as a whole. Example: { periodSeconds: 5, failureThreshold: 3 }. { disabled: true }, or null: never add this probe here, whatever lower layers say${kind === 'startupProbe' ? ', and not for safety either' : ''}. Plain "kubectl apply" drops nulls, so write disabled.`,
    nullMeans: true,
    fields: {
      ...Object.fromEntries(HANDLER_KINDS.map((handler) => [handler, HANDLERS[handler]])),
      ...Object.fromEntries(PROBE_INTEGERS.map((name) => [name, integerOf(kind, name)])),
      [DISABLED]: {
        type: 'boolean',
        text: `true: never add a ${kind} here, whatever lower layers say; it must stand alone. false says nothing.`,
      },
    },
    also: { anyOf: [{ properties: { [DISABLED]: { enum: [false] } } }, { maxProperties: 1 }] },
    rules: [
      { rule: `${handlers.join(' + ')} <= 1`, message: 'must have one handler: exec, httpGet, tcpSocket or grpc' },
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

/** What a policy may say about each probe. */
export const PROBES: Readonly<Record<ProbeKind, ObjectField>> = {
  livenessProbe: probeOf('livenessProbe'),
  readinessProbe: probeOf('readinessProbe'),
  startupProbe: probeOf('startupProbe'),
};

/** Limits of the integers of a probe, as parameters of checks: `{ periodSeconds: { minimum: 2, maximum: 60 } }`. */
export const PROBE_LIMITS: Fields = Object.fromEntries(PROBE_INTEGERS.map((name) => [name, limitsOf(name)]));

function limitsOf(name: ProbeInteger): Field {
  return {
    type: 'object',
    text: `Bounds for ${name}: minimum, maximum or both.`,
    fewest: 1,
    fields: {
      minimum: { type: 'integer', text: `The smallest value of ${name} that is no violation.` },
      maximum: { type: 'integer', text: `The largest value of ${name} that is no violation.` },
    },
    rules: [
      {
        rule: '!has(self.minimum) || !has(self.maximum) || self.minimum <= self.maximum',
        message: 'minimum is larger than maximum: no value would do',
      },
    ],
    check({ minimum = 0, maximum = Infinity }: Readonly<Record<string, number | undefined>>, place) {
      if (place.at('minimum').isAbsent && place.at('maximum').isAbsent)
        place.report('must set minimum, maximum or both');
      if (minimum > maximum) place.report(`minimum ${minimum} is larger than maximum ${maximum}: no value would do`);
    },
  };
}
