import { ACTIONS, CHECK_CATALOGUE, choiceBound } from '../../src/policy/check-catalogue.ts';
import { INT32_MAX } from '../../src/policy/reader.ts';
import { PROBE_INTEGERS } from '../../src/probes/probe.ts';
import type { CheckEntry, ParameterShape } from '../../src/policy/check-catalogue.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

const requiredTexts = {
  containers:
    'Which containers must have it: main (the default) is the main container, as docs/defaulting.md finds it; all is every application container.',
  sidecars: 'true: native sidecars must have it too. Default false.',
};

const handlerList = 'Handlers that may be used, out of httpGet, tcpSocket, grpc and exec';
const boundsExample =
  'e.g. { periodSeconds: { minimum: 2, maximum: 60 } }. What the probe leaves out counts with its default.';

/** What each parameter means, its unit and its default. The catalogue has the shapes, docs/checks.md the whole story. */
const parameterTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'startup-budget': {
    minimumSeconds:
      'Seconds that a container must be guaranteed to start before a probe kills it. Default 10; 0 accepts everything.',
  },
  'delayed-liveness': {
    seconds:
      'initialDelaySeconds of a liveness probe from which on it is taken for a substitute of a startup probe. Seconds, default 30.',
    toleranceSeconds:
      'failureThreshold * periodSeconds from which on a liveness probe with a failureThreshold over 10 is taken for one. Seconds, default 120.',
  },
  'dependency-liveness': {
    paths:
      'Whole paths of endpoints that report on dependencies, e.g. [/actuator/health]. A list of your own replaces the built-in one, which docs/checks.md shows.',
    additionalPaths: 'Paths besides those in paths (or the built-in list), e.g. [/healthz/deep]. None by default.',
  },
  'slow-detection': {
    maximumSeconds: 'Seconds that a deadlocked container may last at worst, its grace period included. Default 600.',
  },
  'exec-cost': {
    minimumPeriodSeconds: 'Seconds that an exec probe must leave between two processes, at least. Default 5.',
  },
  'required-liveness': requiredTexts,
  'required-readiness': requiredTexts,
  'required-startup': {
    ...requiredTexts,
    whenLiveness:
      'true: only containers with a liveness probe must have one, as nothing kills the others. Default false.',
  },
  'required-any': requiredTexts,
  'probe-handler': {
    allowed: `${handlerList}. Default: all four, which finds nothing.`,
    livenessProbe: 'For liveness probes, in place of the common list.',
    readinessProbe: 'For readiness probes, in place of the common list.',
    startupProbe: 'For startup probes, in place of the common list.',
  },
  'probe-bounds': {
    livenessProbe: `Bounds for liveness probes, ${boundsExample}`,
    readinessProbe: `Bounds for readiness probes, ${boundsExample}`,
    startupProbe: `Bounds for startup probes, ${boundsExample}`,
  },
  'exec-forbidden': {
    names: 'Programs that a probe must not run, by name or as a word in a shell line. Default [jcmd, ps, ls].',
    probes: 'The probes that are looked at. Default: all three.',
  },
};

/** `spec.checks`. Only a ClusterProbePolicy may set floors. */
export function checksSchema(isCluster: boolean): OpenApiSchema {
  return {
    description: `What violations of the checks lead to, and the checks' parameters, by check id, e.g. { named-port: { action: Deny }, startup-budget: { minimumSeconds: 30 } }. What is left out comes from lower layers, else from the check itself.`,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(CHECK_CATALOGUE).map(([id, entry]) => [id, checkSchema(id, entry, isCluster)]),
    ),
  };
}

function checkSchema(id: string, entry: CheckEntry, isCluster: boolean): OpenApiSchema {
  const texts = parameterTexts[id] ?? {};
  return {
    description: entry.summary,
    type: 'object',
    properties: {
      action: actionSchema(
        `Deny refuses the workload, Warn lets it pass with a warning, Audit only counts and logs it, Off does not run the check. Absent: what a lower layer says, else ${entry.action}.`,
      ),
      ...(isCluster && {
        floor: actionSchema(
          'The laxest action that a namespace may set, out of Off, Audit, Warn, Deny; a laxer one counts as this. Absent: what a lower layer says, else namespaces are free.',
        ),
      }),
      ...Object.fromEntries(
        Object.entries(entry.parameters).map(([name, shape]) => {
          const text = texts[name];
          if (text === undefined)
            throw new Error(`${id}: parameter ${name} has no text in scripts/crds/check-schema.ts`);
          return [name, parameterSchema(shape, text)];
        }),
      ),
    },
  };
}

/**
 * Off without quotes is false to the YAML that kubectl reads, and means what it says all the same. A schema has one type or none, and a
 * structural one may have none only where it keeps what it does not know; the enum leaves nothing unknown.
 */
function actionSchema(description: string): OpenApiSchema {
  return { description, 'x-kubernetes-preserve-unknown-fields': true, enum: [...ACTIONS, false] };
}

function parameterSchema(shape: ParameterShape, description: string): OpenApiSchema {
  switch (shape.type) {
    case 'integer':
      return { description, type: 'integer', format: 'int32', minimum: shape.minimum, maximum: INT32_MAX };
    case 'boolean':
      return { description, type: 'boolean' };
    case 'choice':
      return { description, type: 'string', enum: shape.choices };
    case 'strings':
      return {
        description,
        type: 'array',
        minItems: 1,
        maxItems: shape.count.maximum,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', minLength: 1, maxLength: shape.length.maximum },
      };
    case 'choices':
      return {
        description,
        type: 'array',
        minItems: 1,
        maxItems: choiceBound(shape.choices).maximum,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', enum: shape.choices },
      };
    case 'bounds':
      return {
        description,
        type: 'object',
        properties: Object.fromEntries(PROBE_INTEGERS.map((field) => [field, boundsSchema(field)])),
      };
    case 'object':
      return {
        description,
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(shape.fields).map(([name, field]) => [name, parameterSchema(field, `${handlerList}.`)]),
        ),
      };
  }
}

function boundsSchema(field: string): OpenApiSchema {
  const bound = (which: string): OpenApiSchema => ({
    description: `The ${which} value of ${field} that is no violation.`,
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: INT32_MAX,
  });
  return {
    description: `Bounds for ${field}: minimum, maximum or both.`,
    type: 'object',
    minProperties: 1,
    properties: { minimum: bound('smallest'), maximum: bound('largest') },
    'x-kubernetes-validations': [
      {
        rule: '!has(self.minimum) || !has(self.maximum) || self.minimum <= self.maximum',
        message: 'minimum is larger than maximum: no value would do',
      },
    ],
  };
}
