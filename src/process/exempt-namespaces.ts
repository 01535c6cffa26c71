import { OPT_OUT_LABEL, OPT_OUT_VALUE } from '../engine/policy/annotations.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';

/** The namespaces that the chart always exempts, besides Probewright's own. */
const EXEMPT_NAMESPACES = ['kube-system', 'kube-public', 'kube-node-lease'];

/**
 * Returns a function that tells whether the API server never sends objects of a namespace to the webhooks. The label
 * that exempts a namespace is read in the facts in force.
 *
 * @param names the value of --exempt-namespaces; undefined = the chart's namespaces and `ownNamespace`
 */
export function exemptNamespaces(
  names: readonly string[] | undefined,
  ownNamespace: string,
  store: Pick<PolicyStore, 'current'>,
): (namespace: string) => boolean {
  const exempt = new Set(names ?? [...EXEMPT_NAMESPACES, ownNamespace]);
  return (namespace) =>
    exempt.has(namespace) || store.current?.facts.namespaceLabels.get(namespace)?.get(OPT_OUT_LABEL) === OPT_OUT_VALUE;
}
