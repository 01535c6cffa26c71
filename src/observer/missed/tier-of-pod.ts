import { metadataOf } from '../live-pod.ts';
import { objectMember, stringMap, type JsonObject } from '../../base/json/json-value.ts';
import { isInScope } from './webhook-scope.ts';
import type { Facts } from '../../engine/facts/facts.ts';
import type { InjectionTier } from '../../engine/policy/injection-tier.ts';
import type { ReplaySurroundings } from './missed-probes.ts';

/** A tier that injects by itself, and by what it does so. */
export interface TierSurroundings extends ReplaySurroundings {
  readonly tier: Extract<InjectionTier, 'webhook' | 'native'>;
}

/** The first tier that sees a Pod, by the selectors of namespaces and Pods. Undefined for a Pod that none sees. */
export function tierOfPod(
  pod: JsonObject,
  tiers: readonly TierSurroundings[],
  namespaceLabels: Facts['namespaceLabels'],
): TierSurroundings | undefined {
  const namespace = metadataOf(pod, 'namespace');
  const labels = stringMap(objectMember(pod, 'metadata') ?? {}, 'labels');
  return tiers.find(({ scope }) => isInScope(scope, namespace, namespaceLabels.get(namespace), labels));
}
