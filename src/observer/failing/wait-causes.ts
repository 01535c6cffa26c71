/**
 * What a Pod or a workload waits for that no probe tells. `problem` follows `container "app" ` where the cause is about
 * a container, and is the whole message elsewhere.
 */
export const CONTAINER_WAIT_TEXTS = {
  'cannot-start': {
    problem: 'does not start',
    remedy: 'Read the events of the Pod with kubectl describe pod. Correct the image, or what the container refers to.',
  },
  'not-created': {
    problem: 'is not created yet',
    remedy:
      'Read the events of the Pod with kubectl describe pod: volumes, network and image come before the container.',
  },
  'post-start-hook': {
    problem: 'waits for its postStart hook, or for its image',
    remedy:
      'Until the hook ends, the container is not started and no probe runs. Run its command with kubectl exec, ' +
      'and bound its time. kubectl describe pod tells whether the image is still pulled.',
  },
  'hook-failed': {
    problem: 'has a lifecycle hook that fails',
    remedy:
      'Correct the hook. A postStart hook that fails ends the container; after a preStop hook that fails, the ' +
      'container gets SIGTERM at once.',
  },
  'init-running': {
    problem: 'is an init container that does not end, and the other containers wait for it',
    remedy: 'Read its log with kubectl logs -c. Let it end with exit code 0.',
  },
  'init-failed': {
    problem: 'is an init container that fails, and the other containers wait for it',
    remedy: 'Read its log with kubectl logs -c --previous. Let it end with exit code 0.',
  },
  'ended-for-good': {
    problem: 'has ended, and the kubelet does not start it again',
    remedy: 'Read its log with kubectl logs. A Pod ends when all its containers have ended.',
  },
  'not-started': {
    problem: 'runs, and does not count as started and ready',
    remedy: 'Read the events of the Pod with kubectl describe pod.',
  },
} as const;

export const POD_WAIT_TEXTS = {
  'scheduling-gated': {
    problem: 'a Pod has scheduling gates, so the scheduler does not look at it',
    remedy: 'Let the controller of each gate remove the gate, or create the Pod without it.',
  },
  'not-scheduled': {
    problem: 'a Pod has no node',
    remedy:
      'Do what the scheduler says: change requests, node selectors, tolerations or volumes of the Pod, or add a node.',
  },
  'readiness-gate': {
    problem: 'a Pod has a readiness gate that is not True, and its containers are ready',
    remedy: 'Let the controller of the gate set the condition, or remove the gate from spec.readinessGates.',
  },
  'pod-failed': {
    problem: 'a Pod has failed',
    remedy: 'Read its log with kubectl logs, and its status with kubectl describe pod.',
  },
  'not-ready': {
    problem: 'a Pod is not Ready, for longer than its probes explain',
    remedy: 'Read the conditions and the events of the Pod with kubectl describe pod.',
  },
  'pods-not-created': {
    problem: 'the workload has fewer Pods than it asks for',
    remedy: 'Do what the controller says: it names the quota, the service account or the webhook that refuses the Pod.',
  },
  'pods-in-order': {
    problem: 'the workload creates its Pods in order, and waits for an earlier one to be Ready',
    remedy:
      'Repair the earlier Pod. If the order does not matter, create the workload with podManagementPolicy: Parallel.',
  },
  'workload-failed': {
    problem: 'the controller of the workload has given up',
    remedy: 'Read the conditions of the workload with kubectl describe, and the log of its last Pod with kubectl logs.',
  },
} as const;

export type ContainerWaitCause = keyof typeof CONTAINER_WAIT_TEXTS;
export type PodWaitCause = keyof typeof POD_WAIT_TEXTS;
