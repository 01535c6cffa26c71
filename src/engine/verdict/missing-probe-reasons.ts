import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { cut } from '../../base/text/cut.ts';
import { withNotes } from './injected-violations.ts';
import type { Violation } from '../checks/violation.ts';
import type { NotInjected } from '../defaulting/injection.ts';
import type { PolicyLayer } from '../policy/probe-policy.ts';

/** The most characters of a reason that a violation quotes: a reason may list 20 ports. */
const MOST_QUOTED = 300;

/** Adds to the violations of missing probes which policy wanted to give the probe, and what kept the policy from it. */
export function withReasons(
  violations: readonly Violation[],
  notInjected: readonly NotInjected[],
  layers: readonly PolicyLayer[],
): readonly Violation[] {
  if (notInjected.length === 0) return violations;
  return violations.map((violation) => {
    if (CHECK_CATALOGUE[violation.check]?.requiresProbes !== true) return violation;
    const reason = reasonFor(violation, notInjected, layers);
    return reason === undefined ? violation : withNotes(violation, reason);
  });
}

function reasonFor(
  { container, probe }: Violation,
  notInjected: readonly NotInjected[],
  layers: readonly PolicyLayer[],
): string | undefined {
  for (const reason of notInjected) {
    const isAboutPod = reason.container === undefined;
    if (!isAboutPod && reason.container !== container) continue;
    if (reason.probe !== undefined && probe !== undefined && reason.probe !== probe) continue;
    if (reason.code === 'removed-by-policy') return `no policy gives one: ${cut(reason.detail, MOST_QUOTED)}`;
    const wantedBy = reason.wantedBy ?? (isAboutPod ? wantedForMain(layers, probe) : undefined);
    if (wantedBy !== undefined) return `${wantedBy} cannot give one: ${cut(reason.detail, MOST_QUOTED)}`;
  }
  return undefined;
}

function wantedForMain(layers: readonly PolicyLayer[], probe: Violation['probe']): string | undefined {
  const gives = ({ probes }: PolicyLayer): boolean =>
    probe === undefined
      ? Object.values(probes).some(({ handler }) => handler !== undefined)
      : probes[probe]?.handler !== undefined;
  return layers.findLast((layer) => layer.containers === 'main' && gives(layer))?.source;
}
