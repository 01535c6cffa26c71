import { CHECKS } from '../../src/engine/checks/catalogue.ts';
import { BOUNDS } from '../../src/engine/policy/bounds.ts';
import { DNS_LABEL } from '../../src/engine/policy/object-names.ts';
import {
  EXCEPTION_BOUNDS,
  NOT_BLANK_PATTERN,
  SHORTEST_REASON,
  WORKLOAD_KIND_PATTERN,
} from '../../src/engine/policy/bounds.ts';
import {
  EXCEPTION_ACTIONS,
  MOST_EXCEPTION_DAYS,
  EXCEPTION_STATES,
  LEFT_OUT_STATES,
} from '../../src/engine/policy/probe-exception.ts';
import { INSTANT_PATTERN } from '../../src/base/text/duration.ts';
import { conditionsSchema } from './status-schema.ts';
import { selectorSchema } from './selector-schema.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

export const ALL_EXCEPTION_STATES = [...EXCEPTION_STATES, ...LEFT_OUT_STATES];

const IDS = CHECKS.map(({ id }) => id);
const SUBDOMAIN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

/** The openAPIV3Schema of ProbeException. It accepts what `parseProbeException` accepts. */
export const exceptionSchema: OpenApiSchema = {
  description:
    'Allows named violations of named workloads of its namespace, until an instant. The violations stay visible.',
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: { description: 'probewright.dev/v1alpha1.', type: 'string' },
    kind: { description: 'ProbeException.', type: 'string' },
    metadata: { type: 'object' },
    spec: {
      description: 'What is allowed, until when, and who asked for it.',
      type: 'object',
      required: ['checks', 'owner', 'reason', 'expires'],
      properties: {
        checks: checkIds('The checks whose violations are allowed, e.g. [named-port]. There is no wildcard.', 1),
        workloads: {
          description:
            'The workloads, by kind and name, e.g. [{ kind: Deployment, name: legacy }]. Exactly one of workloads and workloadSelector is given.',
          type: 'array',
          minItems: 1,
          maxItems: EXCEPTION_BOUNDS.workloads.maximum,
          'x-kubernetes-list-type': 'atomic',
          items: {
            description: 'One workload.',
            type: 'object',
            required: ['kind', 'name'],
            properties: {
              kind: {
                description: 'The kind as in manifests, e.g. Deployment.',
                type: 'string',
                maxLength: EXCEPTION_BOUNDS.workloadKind.maximum,
                pattern: WORKLOAD_KIND_PATTERN,
              },
              name: {
                description: 'metadata.name of the workload.',
                type: 'string',
                maxLength: EXCEPTION_BOUNDS.workloadName.maximum,
                pattern: SUBDOMAIN,
              },
            },
          },
        },
        workloadSelector: selectorSchema(
          'The workloads, by the labels of the Pod or Pod template. {} is every workload of the namespace. Exactly one of workloads and workloadSelector is given.',
          EXCEPTION_BOUNDS,
        ),
        containers: {
          description: 'The containers, by name, e.g. [worker]. Absent: all containers.',
          type: 'array',
          minItems: 1,
          maxItems: BOUNDS.containers.maximum,
          'x-kubernetes-list-type': 'set',
          items: { type: 'string', minLength: 1, maxLength: BOUNDS.containerName.maximum, pattern: `^(${DNS_LABEL})$` },
        },
        owner: text('Who answers for the exception, e.g. team-payments.', 'owner'),
        reason: { ...text('Why the violation has to stay for now.', 'reason'), minLength: SHORTEST_REASON },
        ticket: text('Where the work is planned, e.g. PAY-123.', 'ticket'),
        expires: {
          description:
            'The end, as RFC 3339 with a time zone, e.g. 2027-01-31T00:00:00Z. The exception is not honoured at or after this instant.',
          type: 'string',
          format: 'date-time',
          maxLength: EXCEPTION_BOUNDS.expires.maximum,
          pattern: INSTANT_PATTERN,
        },
      },
      'x-kubernetes-validations': [
        {
          rule: 'has(self.workloads) != has(self.workloadSelector)',
          message: 'exactly one of workloads and workloadSelector must be given',
        },
      ],
    },
    status: {
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
    },
  },
};

/** `spec.exceptions` of a ClusterProbePolicy. */
export const exceptionSettingsSchema: OpenApiSchema = {
  description:
    'What teams may except with ProbeExceptions. Layered field by field like all settings. Example: { maximumDays: 90, checks: [named-port] }.',
  type: 'object',
  properties: {
    action: {
      description: 'Allow honours exceptions. Ignore honours none. Absent: what a lower layer says, else Allow.',
      type: 'string',
      enum: EXCEPTION_ACTIONS,
    },
    maximumDays: {
      description:
        'The longest time of an exception, in days after its creation. Absent: what a lower layer says, else 365. null: 365, whatever lower layers say.',
      type: 'integer',
      format: 'int32',
      nullable: true,
      minimum: 1,
      maximum: MOST_EXCEPTION_DAYS,
    },
    checks: {
      ...checkIds(
        'The checks that exceptions may name. [] is no check. Absent: what a lower layer says, else all checks. null: all checks, whatever lower layers say.',
        0,
      ),
      nullable: true,
    },
  },
};

function checkIds(description: string, minItems: number): OpenApiSchema {
  return {
    description,
    type: 'array',
    minItems,
    maxItems: EXCEPTION_BOUNDS.checks.maximum,
    'x-kubernetes-list-type': 'set',
    items: { type: 'string', enum: IDS },
  };
}

function text(description: string, field: 'owner' | 'reason' | 'ticket'): OpenApiSchema {
  const { maximum } = EXCEPTION_BOUNDS[field];
  return { description, type: 'string', minLength: 1, maxLength: maximum, pattern: NOT_BLANK_PATTERN };
}
