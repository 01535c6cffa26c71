import { member, objectMember, stringMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { podGraceSeconds, probeGraceSeconds } from '../../src/engine/workload/kill-settings.ts';
import type { SimulatedContainer } from './simulated-container.ts';

const MINIMUM_GRACE_SECONDS = 2;

/** How the kubelet kills a container for a probe. */
export interface ContainerKill {
  /** The text of the event `Killing`. */
  readonly message: string;
  /** Seconds from the verdict to SIGKILL, without a hook. */
  readonly graceSeconds: number;
  /** Seconds from the verdict to SIGTERM. */
  readonly hookSeconds: number;
  /** The hook takes longer than the grace period. */
  readonly hookFails: boolean;
  /** Seconds from SIGTERM to SIGKILL. */
  readonly leftSeconds: number;
}

/** True when a container that has ended starts again (kuberuntime_manager.go, computePodActions). */
export function startsAgain(one: SimulatedContainer, podPolicy: string, exitCode: number): boolean {
  if (one.role === 'sidecar') return true;
  const policy = stringMember(one.spec, 'restartPolicy') ?? podPolicy;
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

/** The kill of a container by a probe. When no container stays, the kubelet stops the Pod, with the Pod's grace period. */
export function killOf(
  one: SimulatedContainer,
  type: 'startup' | 'liveness',
  podSpec: JsonObject,
  others: readonly SimulatedContainer[],
): ContainerKill {
  const policy = stringMember(podSpec, 'restartPolicy') ?? 'Always';
  const isRestarted = startsAgain(one, policy, 1);
  const othersStay = others.some(({ role, current }) => role === 'application' && current !== undefined);
  const stopsPod = !isRestarted && !othersStay;
  const ofProbe = probeGraceSeconds(one.probe(type) ?? {});
  const given = typeof ofProbe === 'number' && !stopsPod ? ofProbe : (podGraceSeconds(podSpec) ?? 30);
  const graceSeconds = Math.max(MINIMUM_GRACE_SECONDS, given);
  const hook = hookSecondsOf(one);
  const hookSeconds = Math.min(hook, graceSeconds);
  return {
    message: messageOf(one, type, stopsPod, isRestarted),
    graceSeconds,
    hookSeconds,
    hookFails: hook > graceSeconds,
    leftSeconds: Math.max(MINIMUM_GRACE_SECONDS, graceSeconds - hookSeconds),
  };
}

function messageOf({ name, role }: SimulatedContainer, type: string, stopsPod: boolean, isRestarted: boolean): string {
  if (stopsPod) return `Stopping container ${name}`;
  if (role === 'sidecar') return `Init container ${name} failed ${type} probe`;
  return `Container ${name} failed ${type} probe${isRestarted ? ', will be restarted' : ''}`;
}

function hookSecondsOf(one: SimulatedContainer): number {
  const hook = objectMember(objectMember(one.spec, 'lifecycle') ?? {}, 'preStop');
  if (hook === undefined) return 0;
  const sleep = objectMember(hook, 'sleep');
  if (sleep !== undefined) return Number(member(sleep, 'seconds'));
  return one.startTruth.preStopSeconds ?? 0.05;
}
