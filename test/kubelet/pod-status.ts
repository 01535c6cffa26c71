import { isDeepStrictEqual } from 'node:util';
import { startsAgain } from './container-kill.ts';
import { POD_IP } from './probe-outcome.ts';
import { wholeSecond } from './event-recorder.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { SimulatedContainer } from './simulated-container.ts';

/** A condition without its time. */
interface ConditionState {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** The kubelet writes its own conditions first, and leaves those of others behind them. */
const KUBELET_CONDITIONS = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'];

/** The conditions of a Pod: each keeps the second of its last change of status (status_manager.go, updateLastTransitionTime). */
export class PodConditions {
  readonly #conditions = new Map<string, JsonObject>(KUBELET_CONDITIONS.map((type) => [type, {}]));

  set(states: readonly ConditionState[], nodeNow: number): void {
    for (const state of states) {
      const before = this.#conditions.get(state.type);
      const unchanged = before?.['status'] === state.status;
      const lastTransitionTime = unchanged ? before['lastTransitionTime'] : wholeSecond(nodeNow);
      const next = { observedGeneration: 1, lastProbeTime: null, lastTransitionTime, ...state };
      if (!isDeepStrictEqual(before, next)) this.#conditions.set(state.type, next);
    }
  }

  list(): JsonObject[] {
    return [...this.#conditions.values()].filter((one) => 'type' in one);
  }
}

/** The reason of conditions of a Pod that has ended, by phase. */
const ENDED = new Map([
  ['Succeeded', 'PodCompleted'],
  ['Failed', 'PodFailed'],
]);

/** The conditions that the kubelet works out of the containers (pkg/kubelet/status/generate.go). */
export function kubeletConditions(
  containers: readonly SimulatedContainer[],
  gates: readonly { readonly type: string; readonly isTrue: boolean }[],
  hasSandbox: boolean,
  restartPolicy: string,
): ConditionState[] {
  const ended = ENDED.get(phaseOf(containers, restartPolicy));
  const incomplete = containers.filter(
    ({ role, started, restartCount, ready }) =>
      role !== 'application' && !(role === 'sidecar' ? started || restartCount > 0 : ready),
  );
  const unready = containers.filter((one) => one.role !== 'init' && !one.ready).map(({ name }) => name);
  const notReady =
    ended !== undefined
      ? { status: 'False' as const, reason: ended }
      : {
          status: 'False' as const,
          reason: 'ContainersNotReady',
          message: `containers with unready status: [${unready.join(' ')}]`,
        };
  const openGate = gates.find(({ isTrue }) => !isTrue);
  return [
    { type: 'PodReadyToStartContainers', status: hasSandbox ? 'True' : 'False' },
    incomplete.length === 0
      ? { type: 'Initialized', status: 'True', ...(ended === 'PodCompleted' && { reason: ended }) }
      : {
          type: 'Initialized',
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: `containers with incomplete status: [${incomplete.map(({ name }) => name).join(' ')}]`,
        },
    {
      type: 'Ready',
      ...(unready.length > 0
        ? notReady
        : openGate === undefined
          ? { status: 'True' as const }
          : gateNotReady(openGate.type)),
    },
    { type: 'ContainersReady', ...(unready.length > 0 ? notReady : { status: 'True' as const }) },
  ];
}

function gateNotReady(type: string): Omit<ConditionState, 'type'> {
  const message = `corresponding condition of pod readiness gate "${type}" does not exist.`;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message };
}

/** `status` of a Pod as the kubelet writes it. */
export function podStatus(
  containers: readonly SimulatedContainer[],
  conditions: PodConditions,
  startTime: string,
  restartPolicy: string,
): JsonObject {
  const applications = containers.filter(({ role }) => role === 'application');
  const inits = containers.filter(({ role }) => role !== 'application');
  // The kubelet sorts the statuses of containers by name; those of init containers keep the order of the spec.
  const sorted = [...applications].sort((one, other) => (one.name < other.name ? -1 : 1));
  const isUp = containers.some(({ containerID }) => containerID !== '');
  return {
    observedGeneration: 1,
    phase: phaseOf(containers, restartPolicy),
    conditions: conditions.list(),
    hostIP: '192.168.0.10',
    hostIPs: [{ ip: '192.168.0.10' }],
    ...(isUp && { podIP: POD_IP, podIPs: [{ ip: POD_IP }] }),
    startTime,
    ...(inits.length > 0 && { initContainerStatuses: inits.map((one) => one.status()) }),
    containerStatuses: sorted.map((one) => one.status()),
    qosClass: 'BestEffort',
    resources: {},
  };
}

/** pkg/kubelet/kubelet_pods.go, getPhase; without the failure of init containers. */
function phaseOf(containers: readonly SimulatedContainer[], podPolicy: string): string {
  const applications = containers.filter(({ role }) => role === 'application');
  const inits = containers.filter(({ role }) => role !== 'application');
  if (inits.some((one) => (one.role === 'init' ? !one.ready : one.containerID === ''))) return 'Pending';
  if (applications.some(({ containerID }) => containerID === '')) return 'Pending';
  const exits = applications.map(({ state }) => (state['terminated'] as JsonObject | undefined)?.['exitCode']);
  if (exits.includes(undefined)) return 'Running';
  if (applications.some((one, index) => startsAgain(one, podPolicy, Number(exits[index])))) return 'Running';
  return exits.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}
