import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../support/decisions.ts';
import { KNOWN_KINDS, POD_KIND, workloadKind, type WorkloadKind } from '../../src/engine/workload/kinds.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { anyPod, unknownMembers } from '../support/arbitraries.ts';
import { expectValidReply } from '../support/protocol.ts';
import {
  VALIDATE_SETTINGS,
  appContainer,
  clusterPolicyDocument,
  deploymentOf,
  mutation,
  pod,
  policySet,
  requestOf,
  reviewOf,
} from '../support/worlds.ts';
import { isWithoutHelm, one, render } from './helm.ts';
import { unmetConditions, type MatchCondition } from './match-conditions.ts';
import { NOW } from '../support/now.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

interface Configuration {
  readonly webhooks: readonly { readonly name: string; readonly matchConditions: readonly MatchCondition[] }[];
}

/** A kind whose template lies outside of its spec, and one with two templates. */
const customKinds: readonly WorkloadKind[] = [
  { group: 'example.com', kind: 'Bare', templatePaths: [['template']], runsToCompletion: false },
  {
    group: 'example.com',
    kind: 'Pair',
    templatePaths: [
      ['spec', 'left'],
      ['spec', 'rights', '*'],
    ],
    runsToCompletion: false,
  },
];
const kinds = [...KNOWN_KINDS, ...customKinds];

const settings = { ...VALIDATE_SETTINGS, kinds };

/** Every check at its strictest and with floors, so that nearly every template has something to deny. */
const everything = policySet(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { livenessProbe: '/l' },
    checks: Object.fromEntries(Object.keys(CHECK_CATALOGUE).map((id) => [id, { action: 'Deny', floor: 'Deny' }])),
  }),
);

/** Accounts of kube-controller-manager, accounts that look nearly like them, and others. */
const userName = fc.constantFrom(
  'system:kube-controller-manager',
  'system:serviceaccount:kube-system:replicaset-controller',
  'system:serviceaccount:kube-system:job-controller',
  'system:kube-controller-manager2',
  'system:serviceaccount:kube-system:',
  'system:serviceaccount:kube-system:a:b',
  'system:serviceaccount:kube-systemic:a',
  ' system:serviceaccount:kube-system:a',
  'system:serviceaccount:kube-system',
  'system:serviceaccount:argo:argo-rollouts',
  'system:serviceaccount:apps:builder',
  'jane',
  '',
);
const userInfo = fc.record(
  { username: userName, groups: fc.constantFrom(['system:authenticated'], ['system:nodes']) },
  { requiredKeys: [] },
);

/** Metadata as the API server has decoded it: each field has its type, is null or is absent. */
const owner = fc.record(
  {
    apiVersion: fc.constantFrom('apps/v1', 'apps/v1', 'batch/v1', 'v1', 'apps.k8s.io/v1', 'example.com/v1'),
    kind: fc.constantFrom(
      'ReplicaSet',
      'ReplicaSet',
      'Deployment',
      'CronJob',
      'Job',
      'ReplicationController',
      'Service',
    ),
    name: fc.constant('web'),
    controller: fc.constantFrom(true, true, false),
  },
  { requiredKeys: ['apiVersion', 'kind', 'name'] },
);
const metadata = fc.record(
  {
    labels: fc.oneof(
      fc.constant(null),
      fc.constant({ 'probewright.dev/webhook': 'disabled' }),
      fc.constant({ a: 'b' }),
    ),
    annotations: fc.oneof(
      { arbitrary: fc.constant({ team: 'shop' }), weight: 4 },
      fc.constant(null),
      fc.constant({ 'kubernetes.io/config.mirror': 'x' }),
    ),
    ownerReferences: fc.oneof({ arbitrary: fc.array(owner, { maxLength: 3 }), weight: 5 }, fc.constant(null)),
    deletionTimestamp: fc.constantFrom(null, null, null, '2026-01-01T00:00:00Z'),
    finalizers: fc.constantFrom(null, ['batch.kubernetes.io/job-tracking']),
  },
  { requiredKeys: [] },
);

const specFields = fc.record(
  {
    replicas: fc.nat(3),
    minReadySeconds: fc.constantFrom(0, 5, 900),
    progressDeadlineSeconds: fc.constantFrom(30, 600),
    suspend: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** The pieces that objects are made of. Before and after an update most of them are the same. */
const pieces = fc.record({ pod: anyPod, metadata, specFields, isWithoutTemplate: fc.boolean() });
type Pieces = typeof pieces extends fc.Arbitrary<infer T> ? T : never;

function objectOf(
  kind: WorkloadKind,
  { pod, metadata: own, specFields: fields, isWithoutTemplate }: Pieces,
): JsonObject {
  const apiVersion = kind.group === '' ? 'v1' : `${kind.group}/v1`;
  const common = { apiVersion, kind: kind.kind, metadata: { name: 'random', namespace: 'apps', ...own } };
  if (kind.templatePaths[0]?.length === 0) return { ...pod, ...common };
  const object = { ...common, spec: { ...fields } };
  if (isWithoutTemplate) return object;
  let whole: unknown = object;
  for (const path of kind.templatePaths) whole = withTemplate(whole, path, pod);
  return whole as JsonObject;
}

/** The object with the template at the path, through one-element lists where the path has a star. */
function withTemplate(value: unknown, [step, ...rest]: readonly string[], template: JsonObject): unknown {
  if (step === undefined) return template;
  if (step === '*') return [withTemplate({}, rest, template)];
  const object = (value ?? {}) as JsonObject;
  return { ...object, [step]: withTemplate(object[step], rest, template) };
}

/** A custom kind's spec may be anything. */
const wildSpec = fc.option(fc.oneof(fc.jsonValue({ maxDepth: 3 }), unknownMembers), { nil: undefined, freq: 1 });

interface Case {
  readonly kind: WorkloadKind;
  readonly request: JsonObject;
}

const cases: fc.Arbitrary<Case> = fc
  .record({
    kind: fc.constantFrom(...kinds, ...kinds.slice(0, 1), ...kinds.slice(0, 1)),
    before: pieces,
    after: pieces,
    /** Which pieces an update changes. */
    changed: fc.record({
      pod: often(false),
      metadata: often(true),
      specFields: often(true),
      isWithoutTemplate: often(false),
    }),
    operation: fc.constantFrom('CREATE', 'CREATE', 'UPDATE', 'UPDATE', 'UPDATE', 'DELETE'),
    userInfo,
    subResource: fc.constantFrom(undefined, undefined, undefined, 'status'),
    wild: fc.tuple(fc.nat(9), wildSpec, wildSpec),
  })
  .map(({ kind, before, after, changed, operation, userInfo: info, subResource, wild: [dice, ...specs] }) => {
    const next: Pieces = { ...before };
    for (const piece of Object.keys(changed) as (keyof Pieces)[])
      if (changed[piece]) Object.assign(next, { [piece]: after[piece] });
    const isWild = dice === 0 && !isBuiltIn(kind);
    const [old, object] = [before, next].map((each, index) =>
      isWild ? { ...objectOf(kind, each), spec: specs[index] } : objectOf(kind, each),
    );
    return {
      kind,
      request: {
        operation,
        userInfo: info,
        ...(subResource && { subResource }),
        object: operation === 'DELETE' ? null : object,
        oldObject: operation === 'CREATE' ? null : old,
      },
    };
  });

/** A Pod that its ReplicaSet's controller creates, with the violations of a container without probes. */
const podOfReplicaSet: Case = {
  kind: POD_KIND,
  request: {
    operation: 'CREATE',
    userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller' },
    object: pod([appContainer()], {
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true }] },
    }),
    oldObject: null,
  },
};

const ofDeployment: Case = {
  kind: workloadKind('apps', 'ReplicaSet', kinds) ?? POD_KIND,
  request: {
    operation: 'CREATE',
    userInfo: { username: 'system:kube-controller-manager' },
    object: {
      ...deploymentOf(pod([appContainer()])),
      kind: 'ReplicaSet',
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true }] },
    },
    oldObject: null,
  },
};

function often(value: boolean): fc.Arbitrary<boolean> {
  return fc.nat(4).map((dice) => (dice === 0 ? !value : value));
}

function isBuiltIn({ group }: WorkloadKind): boolean {
  return ['', 'apps', 'batch'].includes(group);
}

/** The review's request, as the API server sends it when the conditions are met. */
function requestAbout(kind: WorkloadKind, object: JsonObject | null, request: JsonObject): JsonObject {
  const named = object ?? (request['oldObject'] as JsonObject);
  return reviewOf({ ...named, apiVersion: kind.group === '' ? 'v1' : `${kind.group}/v1` }, { ...request, object })
    .request;
}

/** The match conditions of the chart's three webhooks. */
function chartConditions(): Record<'mutating' | 'ofPods' | 'ofWorkloads', readonly MatchCondition[]> {
  const workloadKinds = kinds
    .filter((kind) => !isBuiltIn(kind))
    .flatMap(({ group, kind, templatePaths }) =>
      templatePaths.map((path) => ({
        group,
        kind,
        resource: `${kind.toLowerCase()}s`,
        podTemplatePath: path.join('.'),
      })),
    );
  const manifests = render({ overrides: { workloadKinds } });
  const conditionsOf = (configuration: string, webhook: string): readonly MatchCondition[] =>
    one<Configuration>(manifests, configuration).webhooks.find(({ name }) => name === webhook)?.matchConditions ?? [];
  return {
    mutating: conditionsOf('MutatingWebhookConfiguration', 'mutate.probewright.dev'),
    ofPods: conditionsOf('ValidatingWebhookConfiguration', 'validate-pods.probewright.dev'),
    ofWorkloads: conditionsOf('ValidatingWebhookConfiguration', 'validate-workloads.probewright.dev'),
  };
}

describe.skipIf(isWithoutHelm('match-conditions.property.tools.test.ts'))('what match conditions skip', () => {
  /** The Pod as it reaches validation, and the violations that `/mutate` recorded. */
  function mutated(
    kind: WorkloadKind,
    request: JsonObject,
    mutating: readonly MatchCondition[],
  ): { object: JsonObject | null; audited: string | undefined } {
    const object = request['object'] as JsonObject | null;
    const labels = (object?.['metadata'] as JsonObject | undefined)?.['labels'] as Record<string, string> | null;
    const isSent =
      kind.kind === 'Pod' &&
      object !== null &&
      request['operation'] === 'CREATE' &&
      request['subResource'] === undefined &&
      labels?.['probewright.dev/webhook'] !== 'disabled' &&
      unmetConditions(mutating, requestAbout(kind, object, request)).length === 0;
    if (!isSent) return { object, audited: undefined };
    const { after, auditAnnotations } = mutation(object, everything, { request: { ...request, object } });
    return { object: after, audited: auditAnnotations['violations'] };
  }

  it('the program allows without a warning, and what it would audit is audited by /mutate', () => {
    const { mutating, ofPods, ofWorkloads } = chartConditions();
    const skippedBy = new Set<string>();
    let auditedPods = 0;
    fc.assert(
      fc.property(cases, ({ kind, request }) => {
        const { object, audited } = mutated(kind, request, mutating);
        const review = requestAbout(kind, object, request);
        const unmet = unmetConditions(kind.kind === 'Pod' ? ofPods : ofWorkloads, review);
        if (unmet.length === 0) return;
        for (const name of unmet) skippedBy.add(name);
        const decoded = requestOf({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: review });
        const reply = expectValidReply('validate', decoded.uid, validate(decoded, everything, settings, NOW).reply);
        // A Pod that a kubelet creates already runs: only the conditions know that.
        if (unmet.includes('not-from-a-node')) return;
        if (audited !== undefined) auditedPods += 1;
        expect([reply.allowed, reply.warnings, reply.auditAnnotations['violations']]).toEqual([true, [], audited]);
      }),
      { numRuns: 2000, examples: [[podOfReplicaSet], [ofDeployment]] },
    );
    // Every condition was tested.
    const names = [...ofPods, ...ofWorkloads].map(({ name }) => name);
    expect([...skippedBy].sort()).toEqual([...new Set(names)].sort());
    expect(auditedPods).toBeGreaterThan(0);
  });
});
