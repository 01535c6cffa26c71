import { Document } from 'yaml';
import { POLICY_API_VERSION } from '../../src/engine/policy/object-names.ts';
import { EXCEPTION_KIND } from '../../src/engine/policy/probe-exception.ts';
import { EXCEPTION_SPEC } from '../../src/engine/policy/exception-schema.ts';
import { PROFILE_STATUS } from '../../src/engine/policy/profile-schema.ts';
import { POLICY_SPEC } from '../../src/engine/policy/schema.ts';
import { PARAM_DEFINITION } from '../../src/native/namespace-probes.ts';
import type { ObjectField } from '../../src/engine/policy/field.ts';
import { openApiSchema } from './print-field.ts';
import { ALL_EXCEPTION_STATES, exceptionStatus, policyStatus } from './status-schema.ts';
import { STARTUP_PROFILE_KIND } from '../../src/engine/facts/startup-profile.ts';
import type { PolicyKind } from '../../src/engine/policy/probe-policy.ts';
import type { OpenApiSchema } from './open-api-schema.ts';

const [GROUP = '', VERSION = ''] = POLICY_API_VERSION.split('/');

/** A column of `kubectl get`; with priority 1 it shows with `-o wide` only. */
interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: 1;
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** A CustomResourceDefinition with one version. */
export interface CustomResourceDefinition extends Named {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: OwnKind;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames: readonly string[];
      readonly categories: readonly string[];
    };
    readonly scope: 'Namespaced' | 'Cluster';
    readonly versions: readonly {
      readonly name: string;
      readonly served: true;
      readonly storage: true;
      readonly additionalPrinterColumns: readonly PrinterColumn[];
      readonly subresources: { readonly status: Readonly<Record<string, never>> };
      readonly schema: { readonly openAPIV3Schema: OpenApiSchema };
    }[];
  };
}

/** What a definition says about a kind beside its names. */
interface KindOfOurs {
  readonly shortName: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly columns: readonly PrinterColumn[];
  /** The description of the kind. */
  readonly text: string;
  readonly spec?: ObjectField;
  /** Declared beside its parser, or written out here for a status that nobody reads. */
  readonly status: ObjectField | { readonly written: OpenApiSchema };
}

const KINDS = {
  ProbePolicy: {
    text: 'Says which probes the containers of its namespace should have, and what violations of the probe checks lead to. It wins over ClusterProbePolicies field by field; annotations of a workload win over it.',
    spec: POLICY_SPEC,
    shortName: 'pp',
    scope: 'Namespaced',
    columns: policyColumns('ProbePolicy'),
    status: { written: policyStatus },
  },
  ClusterProbePolicy: {
    text: 'Says which probes the containers of many namespaces should have, and what violations of the probe checks lead to. It is the lowest layer: ProbePolicies of a namespace, and annotations of a workload, win over it field by field.',
    spec: POLICY_SPEC,
    shortName: 'cpp',
    scope: 'Cluster',
    columns: policyColumns('ClusterProbePolicy'),
    status: { written: policyStatus },
  },
  [EXCEPTION_KIND]: {
    text: 'Allows named violations of named workloads of its namespace, until an instant. The violations stay visible.',
    spec: EXCEPTION_SPEC,
    shortName: 'pe',
    scope: 'Namespaced',
    columns: [
      { name: 'Checks', type: 'string', jsonPath: '.status.checks', description: 'The checks that are excepted' },
      { name: 'Owner', type: 'string', jsonPath: '.spec.owner' },
      // A column of type date shows an age, which a time in the future does not have.
      { name: 'Expires', type: 'string', jsonPath: '.spec.expires', description: 'Not honoured at or after this' },
      { name: 'State', type: 'string', jsonPath: '.status.state', description: ALL_EXCEPTION_STATES.join(', ') },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      { name: 'Matches', type: 'integer', jsonPath: '.status.matches', priority: 1 },
      { name: 'Last matched', type: 'date', jsonPath: '.status.lastMatched', priority: 1 },
      { name: 'Ticket', type: 'string', jsonPath: '.spec.ticket', priority: 1 },
      { name: 'Reason', type: 'string', jsonPath: '.spec.reason', priority: 1 },
    ],
    status: { written: exceptionStatus },
  },
  [STARTUP_PROFILE_KIND]: {
    text: 'How long the containers of one workload take to start. The observer writes the object, and the workload owns it.',
    status: PROFILE_STATUS,
    shortName: 'sup',
    scope: 'Namespaced',
    columns: [
      figure('Starts', 'starts', 'Measured starts of new Pods, of the last 30 starts'),
      figure('P50', 'p50Seconds', 'Half of the measured starts took at most so many seconds'),
      figure('P90', 'p90Seconds', 'Nine of ten measured starts took at most so many seconds'),
      figure('Max', 'maxSeconds', 'Seconds of the longest measured start'),
      figure(
        'Budget',
        'budgetSeconds',
        'Seconds that slowStart.learned with its defaults guarantees; empty: too few starts',
      ),
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
      {
        name: 'Container',
        type: 'string',
        jsonPath: '.status.container',
        description: 'The slowest container',
        priority: 1,
      },
    ],
  },
} as const satisfies Readonly<Record<string, KindOfOurs>>;

/** Every kind that the chart installs. */
export const OWN_KINDS = Object.keys(KINDS) as readonly OwnKind[];
export type OwnKind = keyof typeof KINDS;

function figure(name: string, field: string, description: string): PrinterColumn {
  return { name, type: 'integer', jsonPath: `.status.${field}`, description };
}

/** The CustomResourceDefinition of a kind. */
export function customResourceDefinition(kind: OwnKind): CustomResourceDefinition {
  const { shortName, scope, columns }: KindOfOurs = KINDS[kind];
  const singular = kind.toLowerCase();
  const plural = singular.endsWith('y') ? singular.replace(/y$/, 'ies') : `${singular}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        shortNames: [shortName],
        categories: ['probewright'],
      },
      scope,
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          additionalPrinterColumns: columns,
          subresources: { status: {} },
          schema: { openAPIV3Schema: schemaOf(kind) },
        },
      ],
    },
  };
}

function schemaOf(kind: OwnKind): OpenApiSchema {
  const { text, spec, status }: KindOfOurs = KINDS[kind];
  return {
    description: text,
    type: 'object',
    ...(spec && { required: ['spec'] }),
    properties: {
      apiVersion: { description: `${POLICY_API_VERSION}.`, type: 'string' },
      kind: { description: `${kind}.`, type: 'string' },
      metadata: { type: 'object' },
      ...(spec && { spec: openApiSchema(spec, kind) }),
      status: 'written' in status ? status.written : openApiSchema(status, kind),
    },
  };
}

function policyColumns(kind: PolicyKind): PrinterColumn[] {
  const ready = '.status.conditions[?(@.type=="Ready")]';
  return [
    {
      name: 'Containers',
      type: 'string',
      jsonPath: '.spec.containers',
      description: 'The containers that the policy speaks for; empty means the main container',
    },
    ...(kind === 'ClusterProbePolicy'
      ? [
          {
            name: 'Priority',
            type: 'integer',
            jsonPath: '.spec.priority',
            description: 'The higher one wins; empty means 0',
          } as const,
        ]
      : []),
    {
      name: 'Ready',
      type: 'string',
      jsonPath: `${ready}.status`,
      description: 'Whether the newest version is in force',
    },
    { name: 'Reason', type: 'string', jsonPath: `${ready}.reason` },
    {
      name: 'Advice',
      type: 'integer',
      jsonPath: '.status.adviceCount',
      description: 'How many violations of checks the probes of the policy have; empty means none',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Port', type: 'string', jsonPath: '.spec.port', description: 'The port for paths', priority: 1 },
    { name: 'Message', type: 'string', jsonPath: `${ready}.message`, priority: 1 },
  ];
}

/** The generated files: their paths from the checkout's root, and their texts. */
export function crdFiles(): Map<string, string> {
  return new Map(
    definitions().map((definition) => {
      const [plural] = definition.metadata.name.split('.');
      return [`charts/probewright/files/crds/${plural}.yaml`, yamlText(definition)];
    }),
  );
}

/** Those of the kinds that people read and write, and that of the native policy's params. */
export function definitions(): readonly Named[] {
  return [...OWN_KINDS.map(customResourceDefinition), PARAM_DEFINITION];
}

/** As YAML 1.1, which kubectl and Helm read: there "Off" and "no" need quotes. */
function yamlText(definition: Named): string {
  const document = new Document(definition, { version: '1.1', aliasDuplicateObjects: false });
  document.commentBefore = ' Generated by "npm run generate:crds" from scripts/crds. Do not edit.';
  return document.toString({ lineWidth: 120 });
}
