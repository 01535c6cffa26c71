import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { parseProbePolicy } from '../../src/engine/policy/read-policy.ts';
import type { ProbePolicy } from '../../src/engine/policy/probe-policy.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { podTemplatesOf, workloadKindOfManifest, KNOWN_KINDS } from '../../src/engine/workload/kinds.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../src/webhook/review/trusted-controllers.ts';
import { mutate } from './decisions.ts';
import { decodeReview } from '../../src/webhook/review/review.ts';
import type { AdmissionRequest } from '../../src/webhook/review/decision.ts';
import { expectValidReply, patched, type DecodedReply } from './protocol.ts';
import { NOW } from './now.ts';
import type { WorkloadPolicy } from '../../src/engine/policy/policy-set.ts';
import type { Workload } from '../../src/engine/verdict/judge.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { ValidateSettings } from '../../src/webhook/review/validate.ts';
import type { MutationMode } from '../../src/engine/policy/action.ts';
import { readPods } from '../../src/engine/workload/read-pod.ts';
import { withEdits } from '../../src/base/json/field-path.ts';
import type { Injection } from '../../src/engine/defaulting/injection.ts';
import type { Defaulting } from '../../src/engine/defaulting/default-probes.ts';

/** A ProbePolicy's document with this spec. */
export function policyDocument(spec: unknown, name = 'policy', namespace = 'apps'): JsonObject {
  return { apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbePolicy', metadata: { name, namespace }, spec };
}

/** A ClusterProbePolicy's document with this spec. */
export function clusterPolicyDocument(spec: unknown, name = 'cluster'): JsonObject {
  return { apiVersion: 'probewright.dev/v1alpha1', kind: 'ClusterProbePolicy', metadata: { name }, spec };
}

/** A parsed policy; a test with a policy that does not parse is wrong. */
export function parsedPolicy(document: unknown): ProbePolicy {
  const parsed = parseProbePolicy(CHECK_CATALOGUE, document);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.policy;
}

/** The set of these policy documents. */
export function policySet(...documents: unknown[]): Snapshot {
  return Snapshot.of(CHECK_CATALOGUE, documents.map(parsedPolicy));
}

/** The settings of `/validate` as a new installation has them, but with denials. */
export const VALIDATE_SETTINGS: ValidateSettings = {
  enforcement: 'Deny',
  mutation: 'On',
  kinds: KNOWN_KINDS,
  controllers: DEFAULT_TRUSTED_CONTROLLERS,
};

/** A container with an http port, and whatever else is given. */
export function appContainer(members: JsonObject = {}): JsonObject {
  return {
    name: 'app',
    image: 'example.test/app:1',
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    ...members,
  };
}

/** A Pod with these containers (or this spec) in namespace apps. */
export function pod(
  containers: readonly unknown[],
  members: { metadata?: JsonObject; spec?: JsonObject } = {},
): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'apps', labels: { app: 'web' }, ...members.metadata },
    spec: { containers, ...members.spec },
  };
}

/** The AdmissionReview with which an API server asks about an object. */
export function reviewOf(object: JsonObject, request: JsonObject = {}): { request: JsonObject } & JsonObject {
  const [group, version] = String(object['apiVersion']).includes('/')
    ? String(object['apiVersion']).split('/')
    : ['', object['apiVersion']];
  const metadata = object['metadata'] as JsonObject | undefined;
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group, version, kind: object['kind'] },
      resource: { group, version, resource: `${String(object['kind']).toLowerCase()}s` },
      name: metadata?.['name'] ?? '',
      namespace: metadata?.['namespace'] ?? 'apps',
      operation: 'CREATE',
      userInfo: { username: 'jane' },
      object,
      oldObject: null,
      dryRun: false,
      ...request,
    },
  };
}

/** The request in a review, decoded. */
export function requestOf(review: unknown): AdmissionRequest {
  const decoded = decodeReview(review);
  if (decoded.problem !== undefined) throw new Error(decoded.problem);
  return decoded.request;
}

/** What `/mutate` makes of an object. */
export interface Mutation extends DecodedReply {
  readonly defaulting: Defaulting | undefined;
  readonly skipped: string | undefined;
  /** The object after the patch. */
  readonly after: JsonObject;
}

/** Asks the mutating webhook about an object and holds the reply to the protocol. */
export function mutation(
  object: JsonObject,
  policies: Snapshot,
  options: { request?: JsonObject; mode?: MutationMode } = {},
): Mutation {
  const request = requestOf(reviewOf(object, options.request));
  const decision = mutate(request, policies, options.mode ?? 'On', NOW);
  const reply = expectValidReply('mutate', request.uid, decision.reply);
  return { ...reply, defaulting: decision.defaulting, skipped: decision.skipped, after: patched(object, reply.patch) };
}

/** The container of a Pod by name. */
export function containerNamed(object: JsonObject, name: string): JsonObject {
  const spec = object['spec'] as Record<string, JsonObject[] | undefined>;
  const container = [...(spec['containers'] ?? []), ...(spec['initContainers'] ?? [])].find(
    (candidate) => candidate['name'] === name,
  );
  if (container === undefined) throw new Error(`no container ${name}`);
  return container;
}

/** A workload as it is judged: with its kind and its templates. An object without a kind that is known is a fault of the test. */
export function subjectOf(object: JsonObject, namespace = 'apps'): Workload {
  const kind = workloadKindOfManifest(object, KNOWN_KINDS);
  if (kind === undefined) throw new Error(`no workload: ${String(object['kind'])}`);
  return { object, kind, pods: readPods(podTemplatesOf(object, kind), kind), namespace, name: 'web' };
}

/** A Deployment with the metadata and the spec of a Pod as its template. */
export const deploymentOf = ({ metadata, spec }: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'random', namespace: 'apps' },
  spec: { template: { metadata, spec } },
});

/** The policy for a Pod of namespace apps. */
export function policyForPod(pod: JsonObject, policies: Snapshot): WorkloadPolicy {
  const labels = ((pod['metadata'] as JsonObject | undefined)?.['labels'] ?? {}) as Record<string, string>;
  return policies.policyFor('apps', new Map(Object.entries(labels)));
}

/** A copy of a Pod template with the injected probes in its containers, as the Pods will be. */
export function effectiveTemplate(
  template: JsonObject,
  injections: readonly Pick<Injection, 'container' | 'kind' | 'probe'>[],
): JsonObject {
  const edits = injections.map(({ container: { list, index }, kind, probe }) => ({
    path: ['spec', list, index, kind],
    value: probe,
  }));
  return withEdits(template, edits);
}
