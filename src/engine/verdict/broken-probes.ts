import { livenessNeverRestarts } from '../checks/liveness-never-restarts.ts';
import { validProbe } from '../checks/valid-probe.ts';
import { asCreated } from '../workload/read-pod.ts';
import { CANNOT_WORK, findingsAlone } from './permitted-defaulting.ts';
import type { WorkloadPolicy } from '../policy/policy-set.ts';
import type { ProbeKind } from '../probe/probe.ts';
import type { Container, Pod } from '../workload/pod.ts';

/** A probe that a check says cannot work, or succeeds while the application fails. So its times mean nothing. */
export interface BrokenProbe {
  readonly container: Pick<Container, 'list' | 'index'>;
  readonly probe: ProbeKind;
  readonly check: string;
  readonly message: string;
  readonly hidesFailures: boolean;
}

/** A kill without a restart is a kill in time. A value that the API server rejects counts as absent in every figure. */
const TIMES_HOLD: ReadonlySet<string> = new Set([livenessNeverRestarts.id, validProbe.id]);

/**
 * The probes of a Pod that cannot work, the injected ones among them. A note leaves a doubt, and a policy that
 * switches a check off knows better.
 */
export function brokenProbes(pod: Pod, policy: WorkloadPolicy): BrokenProbe[] {
  const rules = (container: string) =>
    new Map([...CANNOT_WORK].filter(([id]) => policy.checkPolicy(container).get(id)?.action !== 'Off'));
  return findingsAlone(asCreated(pod), { policy, rules }).flatMap(({ check, action, at, finding }) => {
    const { id, hidesFailures = false } = check;
    const { probe, message } = finding;
    const isBroken = action === 'Deny' && !TIMES_HOLD.has(id);
    return isBroken && probe !== undefined ? [{ container: at, probe, check: id, message, hidesFailures }] : [];
  });
}
