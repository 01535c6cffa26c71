import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import type { PolicyKind } from '../../engine/policy/probe-policy.ts';

/** A collection of the API, as discovery names it. */
export interface ApiCollection {
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** The plural: `deployments`. */
  readonly resource: string;
  /** Default true. */
  readonly isNamespaced?: boolean;
}

/** The configurations of webhooks. */
export function webhookConfigurations(kind: 'mutating' | 'validating'): ApiCollection {
  return { apiVersion: 'admissionregistration.k8s.io/v1', resource: `${kind}webhookconfigurations` };
}

/** The native policy and its bindings: `admissionregistration.k8s.io/v1` has them since Kubernetes 1.36. */
export const NATIVE_COLLECTIONS = {
  policies: { apiVersion: 'admissionregistration.k8s.io/v1', resource: 'mutatingadmissionpolicies' },
  bindings: { apiVersion: 'admissionregistration.k8s.io/v1', resource: 'mutatingadmissionpolicybindings' },
  params: { apiVersion: POLICY_API_VERSION, resource: 'namespaceprobes' },
} as const satisfies Readonly<Record<string, ApiCollection>>;

/** The kinds of policies. */
export const POLICY_COLLECTIONS: Readonly<Record<PolicyKind, ApiCollection>> = {
  ProbePolicy: { apiVersion: POLICY_API_VERSION, resource: 'probepolicies' },
  ClusterProbePolicy: { apiVersion: POLICY_API_VERSION, resource: 'clusterprobepolicies' },
};

export const PODS: ApiCollection = { apiVersion: 'v1', resource: 'pods' };

/** The path of a version of the API: `/api/v1`, `/apis/apps/v1`. */
export function versionPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** The path of a collection: `/apis/apps/v1/namespaces/shop/deployments`. Without a namespace: of all namespaces. */
export function collectionPath({ apiVersion, resource, isNamespaced }: ApiCollection, namespace?: string): string {
  // A name becomes one part of the path, whatever it holds.
  const scope = namespace === undefined || isNamespaced === false ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${versionPath(apiVersion)}${scope}/${resource}`;
}

/** The path of one object: `/apis/apps/v1/namespaces/shop/deployments/web`. */
export function objectPath(
  collection: ApiCollection,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
): string {
  return `${collectionPath(collection, namespace)}/${encodeURIComponent(name)}`;
}
