import { equalJson, isJsonObject, member, objectMember } from '../../base/json/json-value.ts';
import { defaultedProbe } from '../probe/api-defaults.ts';
import { HANDLER_KINDS, handlerKindsOf, ownProbe, PROBE_KINDS, type Probe, type ProbeKind } from '../probe/probe.ts';
import { probeTiming } from '../probe/timing.ts';
import { plainDefault } from './plain-probe.ts';
import { startupDefault, type EffectiveLiveness } from './startup.ts';
import type { StartFigures } from '../probe/startup-budget.ts';
import type { ContainerPolicy } from '../policy/container-policy.ts';
import type { Container } from '../workload/containers.ts';
import type { Evidence } from './handler.ts';

/** Probe -> its source, by the annotation of an earlier call for the same Pod. */
export type SourceByProbe = ReadonlyMap<string, string>;

const NONE: SourceByProbe = new Map();

/**
 * The probes of a container that an earlier call for the same Pod injected, of those that the annotation names. Anybody
 * can write the annotation, so a probe counts only if a policy in force, or the cluster's layers alone, give exactly
 * this probe to the container without the named ones. Of a startup probe the handler counts, and no longer period.
 */
export function injectedEarlier(
  container: Container,
  named: SourceByProbe | undefined,
  evidence: Omit<Evidence, 'own'>,
  policies: () => readonly ContainerPolicy[],
  starts: StartFigures | undefined,
): SourceByProbe {
  let counted = new Map([...(named ?? NONE)].filter(([kind]) => isJsonObject(member(container.spec, kind))));
  if (counted.size === 0) return NONE;
  const inForce = policies();
  // A probe that does not count is the author's, and is evidence about the others.
  for (;;) {
    const known: Evidence = { ...evidence, own: authorsProbes(container, counted) };
    const liveness = livenessOf(container, counted);
    const confirmed = new Map(
      [...counted].filter(([kind]) => inForce.some((policy) => isGiven(kind as ProbeKind, policy))),
    );
    if (confirmed.size === counted.size) return counted;
    counted = confirmed;

    function isGiven(kind: ProbeKind, policy: ContainerPolicy): boolean {
      const probe = ownProbe(container.spec, kind);
      const given =
        kind === 'startupProbe' ? startupDefault(known, policy, liveness, starts) : plainDefault(known, policy, kind);
      return 'probe' in given && isJsonObject(probe) && isSameProbe(kind, probe, given.probe);
    }
  }
}

function isSameProbe(kind: ProbeKind, probe: Probe, given: Probe): boolean {
  const [is, expected] = [defaultedProbe(probe), defaultedProbe(given)];
  if (kind !== 'startupProbe') return equalJson(is, expected);
  const isLonger = probeTiming(is).periodSeconds > probeTiming(expected).periodSeconds;
  return !isLonger && HANDLER_KINDS.every((handler) => equalJson(member(is, handler), member(expected, handler)));
}

export function livenessOf({ spec }: Container, injected: SourceByProbe): EffectiveLiveness | undefined {
  const probe = objectMember(spec, 'livenessProbe');
  const injectedFrom = injected.get('livenessProbe');
  return probe && { probe, ...(injectedFrom !== undefined && { injectedFrom }) };
}

/** The probes that the author wrote. Null counts as absent, and the API server refuses other values. */
export function authorsProbes({ spec }: Container, injected: SourceByProbe): Evidence['own'] {
  return PROBE_KINDS.flatMap((kind) => {
    const probe = objectMember(spec, kind);
    return probe && handlerKindsOf(probe).length === 1 && !injected.has(kind) ? [[kind, probe] as const] : [];
  });
}
