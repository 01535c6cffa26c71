import { validProbe } from '../../engine/checks/valid-probe.ts';
import { CANNOT_WORK, findingsAlone } from '../../engine/verdict/permitted-defaulting.ts';
import { isProbeObject, type Container, type Pod } from '../../engine/workload/pod.ts';
import { asCreated } from '../../engine/workload/read-pod.ts';
import type { WorkloadPolicy } from '../../engine/policy/policy-set.ts';
import type { ProbeKind } from '../../engine/probe/probe.ts';
import type { BrokenProbe } from '../../engine/verdict/broken-probes.ts';

/** A probe that the API server refuses, and what to write in its place, or the server's own words. */
export interface RefusedProbe extends Pick<BrokenProbe, 'container' | 'probe'> {
  readonly text: string;
}

/** What valid-probe finds about the probes of a Pod, for readers of the figures: these hold once it is mended. */
export function refusedProbes(pod: Pod, policy: WorkloadPolicy): RefusedProbe[] {
  const isOff = (container: string): boolean => policy.checkPolicy(container).get(validProbe.id)?.action === 'Off';
  const rules = (container: string) =>
    new Map([...CANNOT_WORK].filter(([id]) => id === validProbe.id && !isOff(container)));
  return findingsAlone(asCreated(pod), { policy, rules }, [validProbe]).flatMap(({ at, finding }) => {
    const { probe, remedy, message } = finding;
    return probe === undefined ? [] : [{ container: at, probe, text: remedy ?? message }];
  });
}

/** `livenessProbe: the API server refuses it (valid-probe): write periodSeconds: 10, without quotes.` */
export function refusalsOf({ written }: Container, refused: readonly RefusedProbe[]): string[] {
  const isObject = (kind: ProbeKind): boolean => written.some((probe) => probe.kind === kind && isProbeObject(probe));
  const told = refused.filter(({ probe }) => isObject(probe));
  return told.map(({ probe, text }) => `${probe}: the API server refuses it (${validProbe.id}): ${text}.`);
}
