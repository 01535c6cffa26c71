import { quoted } from '../../base/json/quoted-value.ts';
import { INSTANT_PATTERN, parseInstant } from '../../base/text/duration.ts';
import { BOUNDS, EXCEPTION_BOUNDS, NOT_BLANK_PATTERN, SHORTEST_REASON } from './bounds.ts';
import type { Bound } from './bound.ts';
import { selectorField } from './selector-schema.ts';
import { containerNameProblem, DNS_LABEL, objectNameProblem } from './object-names.ts';
import { DEFAULT_EXCEPTION_DAYS } from './probe-exception.ts';
import type { Field, ObjectField } from './field.ts';

const WORKLOAD_KIND = '^[A-Z][A-Za-z0-9]*$';

const text = (description: string, bound: Bound, shortest = 1): Field => ({
  type: 'text',
  text: description,
  shortest,
  bound,
  pattern: NOT_BLANK_PATTERN,
  problem: (value) => (new RegExp(NOT_BLANK_PATTERN).test(value) ? undefined : 'must not be empty'),
});

/** The spec of a ProbeException. */
export const EXCEPTION_SPEC: ObjectField = {
  type: 'object',
  text: 'What is allowed, until when, and who asked for it.',
  nulls: 'absent',
  required: 'must be given',
  fields: {
    checks: {
      type: 'checkIds',
      required: 'must be given: a list of check ids',
      text: 'The checks whose violations are allowed, e.g. [named-port]. There is no wildcard.',
      fewest: 1,
    },
    workloads: {
      type: 'list',
      text: 'The workloads, by kind and name, e.g. [{ kind: Deployment, name: legacy }]. Exactly one of workloads and workloadSelector is given.',
      count: EXCEPTION_BOUNDS.workloads,
      empty: 'must name at least one workload',
      items: {
        type: 'object',
        text: 'One workload.',
        fields: {
          kind: {
            type: 'text',
            required: 'must be given',
            text: 'The kind as in manifests, e.g. Deployment.',
            bound: EXCEPTION_BOUNDS.workloadKind,
            pattern: WORKLOAD_KIND,
            problem: (kind) =>
              new RegExp(WORKLOAD_KIND).test(kind)
                ? undefined
                : `${quoted(kind)} is not a kind: write it as in manifests, such as Deployment`,
          },
          name: {
            type: 'text',
            required: 'must be given',
            text: 'metadata.name of the workload.',
            longest: EXCEPTION_BOUNDS.workloadName.maximum,
            pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
            problem: objectNameProblem,
          },
        },
      },
    },
    workloadSelector: selectorField(
      'The workloads, by the labels of the Pod or Pod template. {} is every workload of the namespace. Exactly one of workloads and workloadSelector is given.',
      EXCEPTION_BOUNDS,
    ),
    containers: {
      type: 'names',
      text: 'The containers, by name, e.g. [worker]. Absent: all containers.',
      what: 'container',
      count: BOUNDS.containers,
      length: BOUNDS.containerName,
      pattern: `^(${DNS_LABEL})$`,
      problem: containerNameProblem,
    },
    owner: {
      ...text('Who answers for the exception, e.g. team-payments.', EXCEPTION_BOUNDS.owner),
      required: 'must be given',
    },
    reason: {
      ...text('Why the violation has to stay for now.', EXCEPTION_BOUNDS.reason, SHORTEST_REASON),
      required: 'must be given',
    },
    ticket: text('Where the work is planned, e.g. PAY-123.', EXCEPTION_BOUNDS.ticket),
    expires: {
      type: 'text',
      format: 'date-time',
      required: 'must be given: an instant such as 2027-01-31T00:00:00Z',
      text: 'The end, as RFC 3339 with a time zone, e.g. 2027-01-31T00:00:00Z. The exception is not honoured at or after this instant.',
      bound: EXCEPTION_BOUNDS.expires,
      pattern: INSTANT_PATTERN,
      problem: (instant) =>
        parseInstant(instant) === undefined
          ? `must be an instant with a time zone, such as 2027-01-31T00:00:00Z, not ${quoted(instant)}`
          : undefined,
    },
  },
  rules: [
    {
      rule: 'has(self.workloads) != has(self.workloadSelector)',
      message: 'exactly one of workloads and workloadSelector must be given',
    },
  ],
  check(_, place) {
    const isNamed = place.at('workloads').isGiven;
    if (isNamed === place.at('workloadSelector').isGiven)
      place.report(
        `must have either workloads or workloadSelector${isNamed ? ', not both' : '; {} selects every workload'}`,
      );
  },
};

/** `spec.exceptions` of a ClusterProbePolicy. */
export const EXCEPTION_SETTINGS: ObjectField = {
  type: 'object',
  text: 'What teams may except with ProbeExceptions. Layered field by field like all settings. Example: { maximumDays: 90, checks: [named-port] }.',
  nulls: 'absent',
  fields: {
    action: {
      type: 'choice',
      text: 'Allow honours exceptions. Ignore honours none.',
      otherwise: 'Allow',
      choices: ['Allow', 'Ignore'],
    },
    maximumDays: {
      type: 'integer',
      text: 'The longest time of an exception, in days after its creation.',
      otherwise: DEFAULT_EXCEPTION_DAYS,
      nullMeans: String(DEFAULT_EXCEPTION_DAYS),
      minimum: 1,
      maximum: 3650,
    },
    checks: {
      type: 'checkIds',
      text: 'The checks that exceptions may name. [] is no check.',
      otherwise: 'all checks',
      nullMeans: 'all checks',
      fewest: 0,
    },
  },
};
