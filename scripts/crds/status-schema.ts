import { ADVICE_BOUNDS } from '../../src/cluster/sources/policy-status.ts';
import { EXCEPTION_STATES, LEFT_OUT_STATES } from '../../src/engine/policy/exception-state.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

export const ALL_EXCEPTION_STATES = [...EXCEPTION_STATES, ...LEFT_OUT_STATES];

/** `status.conditions`, a list of meta/v1 Condition. */
function conditionsSchema(description: string, types: string): OpenApiSchema {
  return {
    description,
    type: 'array',
    maxItems: 32,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
    items: {
      description: 'One aspect of the state, as in meta/v1 Condition.',
      type: 'object',
      required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
      properties: {
        type: {
          description: `Which aspect: ${types}`,
          type: 'string',
          maxLength: 316,
          pattern:
            '^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
        },
        status: { description: 'True, False or Unknown.', type: 'string', enum: ['True', 'False', 'Unknown'] },
        reason: {
          description: 'Why, in one word for programs.',
          type: 'string',
          minLength: 1,
          maxLength: 1024,
          pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
        },
        message: { description: 'Why, in words for people.', type: 'string', maxLength: 32_768 },
        lastTransitionTime: {
          description: 'When status last changed.',
          type: 'string',
          format: 'date-time',
        },
        observedGeneration: {
          description: 'metadata.generation of the version that the condition speaks of.',
          type: 'integer',
          format: 'int64',
          minimum: 0,
        },
      },
    },
  };
}

/** What Probewright tells about a policy: whether it is in force. */
export const policyStatus: OpenApiSchema = {
  description: 'What Probewright made of the policy. Written by Probewright, never by hand.',
  type: 'object',
  properties: {
    observedGeneration: {
      description:
        'metadata.generation of the version that the status speaks of. Smaller: the newest has not been read yet.',
      type: 'integer',
      format: 'int64',
    },
    conditions: conditionsSchema(
      'Ready is True when the newest version is in force, and False when it is not. The message lists warnings or problems, each with its path.',
      'Ready, and Native while the native policy is installed.',
    ),
    adviceCount: {
      description: 'How many entries advice would have without its bound. Absent: no advice.',
      type: 'integer',
      format: 'int32',
      minimum: 0,
    },
    advice: {
      description:
        'What is wrong with the probes that the policy gives, whatever the workload. The policy is in force all the same.',
      type: 'array',
      maxItems: ADVICE_BOUNDS.entries,
      'x-kubernetes-list-type': 'atomic',
      items: {
        description: 'One violation of a check by a probe of the policy.',
        type: 'object',
        required: ['check', 'field', 'message'],
        properties: {
          check: { description: 'The id of the check.', type: 'string', maxLength: ADVICE_BOUNDS.check },
          field: {
            description: 'The field of the policy, e.g. spec.probes.livenessProbe.timeoutSeconds.',
            type: 'string',
            maxLength: ADVICE_BOUNDS.field,
          },
          message: {
            description: 'The problem, and what to write instead.',
            type: 'string',
            maxLength: ADVICE_BOUNDS.message,
          },
        },
      },
    },
  },
};

/** What Probewright tells about an exception: whether it is honoured. */
export const exceptionStatus: OpenApiSchema = {
  description: 'What Probewright made of the exception. Written by Probewright, never by hand.',
  type: 'object',
  properties: {
    observedGeneration: {
      description: 'metadata.generation of the version that the status speaks of.',
      type: 'integer',
      format: 'int64',
    },
    state: {
      description: `One of ${ALL_EXCEPTION_STATES.join(', ')}. Expiring: the end is within 14 days. Unused: no match for 30 days. OverBudget and Invalid: not honoured.`,
      type: 'string',
      enum: ALL_EXCEPTION_STATES,
    },
    checks: {
      type: 'string',
      description: 'The checks of the exception in words, for kubectl get.',
    },
    lastMatched: {
      description: 'When a violation was last allowed, at admission. At most an hour old while matches go on.',
      type: 'string',
      format: 'date-time',
    },
    matches: {
      description: 'How many violations were allowed at admission, over all replicas.',
      type: 'integer',
      format: 'int64',
      minimum: 0,
    },
    conditions: conditionsSchema(
      'Active, Expired, Unused and Limited. Limited: policies shorten the exception, or leave out some of its checks.',
      'Active, Expired, Unused or Limited.',
    ),
  },
};
