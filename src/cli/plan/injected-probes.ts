import { policyOfPod, type Workload } from '../../engine/verdict/judge.ts';
import { permittedDefaulting } from '../../engine/verdict/permitted-defaulting.ts';
import { TIER_WORDS, type InjectionTier } from '../../engine/policy/injection-tier.ts';
import { count } from '../../base/text/cut.ts';
import type { PlannedInjection } from '../output/json-outputs.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';

/**
 * Counts the probes that tiers inject into workloads, and names the workloads that get fewer from the native policy, by
 * construct.
 *
 * @param snapshot the policies; with what the native policy leaves out, where the tier has one
 */
export function injectedProbes(
  tier: InjectionTier,
  workloads: Iterable<Workload>,
  snapshot: Snapshot,
): PlannedInjection {
  let [given, left] = [0, 0];
  const fewer = new Map<string, Set<Workload>>();
  for (const workload of workloads)
    for (const pod of workload.pods) {
      const { injections, notInjected } = permittedDefaulting(pod, policyOfPod(workload, pod, snapshot));
      given += injections.length;
      for (const { code, constructs = [] } of notInjected) {
        if (code !== 'not-native') continue;
        left += 1;
        for (const id of constructs) fewer.set(id, (fewer.get(id) ?? new Set()).add(workload));
      }
    }
  return {
    tier,
    webhook: given + left,
    ...(hasNative(tier) && { native: given }),
    fewer: [...fewer].map(([construct, named]) => ({
      construct,
      workloads: [...named].map(({ kind: { kind }, namespace, name }) => ({ kind, namespace, name })),
    })),
  };
}

/** True for a tier with the native policy. */
export function hasNative(tier: InjectionTier): boolean {
  return tier === 'native' || tier === 'both';
}

/** `The native policy injects 5 probes into these workloads; the webhook would inject 7.` */
export function injectedSentence({ tier, webhook, native = webhook }: PlannedInjection): string {
  if (tier === 'none') return `${TIER_WORDS.none}.`;
  if (tier === 'webhook') return `${TIER_WORDS.webhook} ${count(webhook, 'probe')} into these workloads.`;
  const also = tier === 'both' ? `the webhook adds ${webhook - native}` : `the webhook would inject ${webhook}`;
  return `${TIER_WORDS.native} ${count(native, 'probe')} into these workloads; ${also}.`;
}
