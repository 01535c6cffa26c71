import { count, compareText } from '../../base/text/cut.ts';
import { exemption } from '../../observer/missed/webhook-scope.ts';
import { PROGRAM } from '../io.ts';
import { clusterProblem } from './cluster-object.ts';
import { namespaceOf } from './manifest.ts';
import type { ExemptNamespace } from '../output/json-outputs.ts';
import type { Live } from './live.ts';
import type { Manifests } from './manifests.ts';
import type { World } from './world.ts';

/**
 * The manifests of a cluster without the workloads that the webhook never sees, because its configuration leaves out
 * their namespace. No policy changes such workloads, and no finding denies them. Notes name them, and what only the API
 * server can tell.
 */
export function withoutExempt(manifests: Manifests, world: World, { webhook }: Live): Manifests {
  const scope = webhook?.scope;
  if (scope === undefined) return manifests;
  const { namespaceLabels } = world.snapshot.facts;
  const exempt: ExemptNamespace[] = [];
  const texts = [
    ...Map.groupBy(manifests.texts, ({ manifests: [first] }) => first && namespaceOf(first.object)),
  ].flatMap(([namespace = '', own]) => {
    const reason = exemption(scope, namespace, namespaceLabels.get(namespace));
    if (reason === undefined) return own;
    exempt.push({ namespace, workloads: own.length, reason });
    return [];
  });
  const unchecked = exempt.map(
    (each) => `${exemptText(each)}; kubectl get deploy,ds,sts -n ${each.namespace} -o yaml | ${PROGRAM} check -`,
  );
  const sorted = exempt.toSorted((a, b) => compareText(a.namespace, b.namespace));
  const { foreignConditions: conditions } = scope;
  const unknown = `only the API server can tell what ${conditions.join(', ')} of the webhook exempts`;
  const told = [...sorted.map(exemptText), ...(conditions.length > 0 ? [unknown] : [])];
  const exemptNotes = told.map((text) => clusterProblem(`note: ${text}`));
  return { ...manifests, texts, exempt: sorted, exemptNotes, unchecked };
}

function exemptText({ namespace, workloads, reason }: ExemptNamespace): string {
  const are = workloads === 1 ? 'is' : 'are';
  return `${count(workloads, 'workload')} of namespace ${namespace} ${are} exempt: the webhook only sees namespaces with ${reason}`;
}
