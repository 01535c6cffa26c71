import { TIER_WORDS } from '../../engine/policy/injection-tier.ts';
import type { WorkloadInjection } from './explanation.ts';

/**
 * `The native policy injects livenessProbe. The webhook would also inject startupProbe.` Undefined for a workload to
 * which policies give nothing. The reasons are among those why probes are not injected.
 */
export function injectionSentence({ tier, injected, leftOut }: WorkloadInjection): string | undefined {
  const all = [...injected, ...leftOut];
  if (all.length === 0) return undefined;
  if (tier === 'none') return `${TIER_WORDS.none}.`;
  const isOne = all.every(({ container }) => container === all[0]?.container);
  const listOf = (probes: WorkloadInjection['injected']): string =>
    [...Map.groupBy(probes, ({ container }) => container)]
      .map(([container, own]) => `${isOne ? '' : `${container}: `}${own.map(({ probe }) => probe).join(', ')}`)
      .join('; ');
  const given = `${TIER_WORDS[tier]} ${injected.length === 0 ? 'nothing' : listOf(injected)}.`;
  return leftOut.length === 0 ? given : `${given} The webhook would also inject ${listOf(leftOut)}.`;
}
