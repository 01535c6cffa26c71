import { POLICY_API_VERSION } from '../../engine/policy/api-version.ts';
import type { PolicyKind } from '../../engine/policy/probe-policy.ts';

/** Which policy of a cluster. */
export interface PolicyReference {
  readonly kind: PolicyKind;
  /** Undefined for a ClusterProbePolicy. */
  readonly namespace: string | undefined;
  readonly name: string;
}

const PLURALS: Readonly<Record<PolicyKind, string>> = {
  ProbePolicy: 'probepolicies',
  ClusterProbePolicy: 'clusterprobepolicies',
};

/** As a policy's `source` is written: `ProbePolicy/apps/web`. */
export function placeOf({ kind, namespace, name }: PolicyReference): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

/** Where the API server has all policies of a kind. */
export function collectionPath(kind: PolicyKind): string {
  return `/apis/${POLICY_API_VERSION}/${PLURALS[kind]}`;
}

/** Where the API server has the policies of a kind in one namespace. */
export function namespacedCollectionPath(kind: PolicyKind, namespace: string): string {
  return `/apis/${POLICY_API_VERSION}/namespaces/${encodeURIComponent(namespace)}/${PLURALS[kind]}`;
}

/** Where the API server has one policy. */
export function objectPath({ kind, namespace, name }: PolicyReference): string {
  const collection = namespace === undefined ? collectionPath(kind) : namespacedCollectionPath(kind, namespace);
  return `${collection}/${encodeURIComponent(name)}`;
}
