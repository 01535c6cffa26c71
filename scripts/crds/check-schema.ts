import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { ACTIONS } from '../../src/engine/policy/action.ts';
import { choicesBound, type CheckParameter, type CheckParameters } from '../../src/engine/policy/check-parameters.ts';
import { INT32_MAX } from '../../src/engine/probe/go-values.ts';
import { PROBE_INTEGERS } from '../../src/engine/probe/probe.ts';
import type { CheckDefinition } from '../../src/engine/policy/check-parameters.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

/** `spec.checks`. Only a ClusterProbePolicy may set floors. */
export function checksSchema(isCluster: boolean): OpenApiSchema {
  return {
    description: `What violations of the checks lead to, and the checks' parameters, by check id, e.g. { named-port: { action: Deny }, startup-budget: { minimumSeconds: 30 } }. What is left out comes from lower layers, else from the check itself.`,
    type: 'object',
    properties: Object.fromEntries(CHECKS.map((check) => [check.id, checkSchema(check, isCluster)])),
  };
}

function checkSchema({ summary, action, parameters }: CheckDefinition, isCluster: boolean): OpenApiSchema {
  return {
    description: summary,
    type: 'object',
    properties: {
      action: actionSchema(
        `Deny refuses the workload, Warn lets it pass with a warning, Audit only counts and logs it, Off does not run the check. Absent: what a lower layer says, else ${action}.`,
      ),
      ...(isCluster && {
        floor: actionSchema(
          'The laxest action that a namespace may set, out of Off, Audit, Warn, Deny; a laxer one counts as this. Absent: what a lower layer says, else namespaces are free.',
        ),
      }),
      ...parameterSchemas(parameters),
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

function parameterSchemas(parameters: CheckParameters): Record<string, OpenApiSchema> {
  return Object.fromEntries(Object.entries(parameters).map(([name, parameter]) => [name, parameterSchema(parameter)]));
}

function parameterSchema(parameter: CheckParameter): OpenApiSchema {
  const { text: description } = parameter;
  switch (parameter.type) {
    case 'integer':
      return { description, type: 'integer', format: 'int32', minimum: parameter.minimum ?? 0, maximum: INT32_MAX };
    case 'boolean':
      return { description, type: 'boolean' };
    case 'choice':
      return { description, type: 'string', enum: parameter.choices };
    case 'strings':
      return {
        description,
        type: 'array',
        minItems: 1,
        maxItems: parameter.count.maximum,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', minLength: 1, maxLength: parameter.length.maximum },
      };
    case 'choices':
      return {
        description,
        type: 'array',
        minItems: 1,
        maxItems: choicesBound(parameter.choices).maximum,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', enum: parameter.choices },
      };
    case 'bounds':
      return {
        description,
        type: 'object',
        properties: Object.fromEntries(PROBE_INTEGERS.map((field) => [field, boundsSchema(field)])),
      };
    case 'group':
      return { description, type: 'object', properties: parameterSchemas(parameter.fields) };
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
