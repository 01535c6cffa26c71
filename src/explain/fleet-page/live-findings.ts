import { isFailingRule } from '../../engine/facts/live-rules.ts';
import { isDnsSubdomain } from '../../engine/policy/object-names.ts';
import type { LiveFinding } from './report.ts';

/** The properties of results about live Pods, for who makes and who shows them. Report APIs allow only texts. */
export interface LiveProperties extends Readonly<Partial<Record<keyof typeof SHOWN, string>>> {
  /** Why: `outdated`, `connection-refused`. */
  readonly cause: string;
  /** The command or the change that helps. */
  readonly fix: string;
  /** All Pods of the workload. */
  readonly allPods?: string;
  readonly container?: string;
  readonly probe?: string;
}

/** The properties after the message, in this order. The message has the cause, the container and the probe. */
const SHOWN = {
  /** The HTTP status that the probe got. */
  status: 'status',
  timeoutSeconds: 'timeoutSeconds',
  exitCode: 'exit code',
  /** The kubelet's word: `ImagePullBackOff`. */
  reason: 'reason',
  times: 'events',
  restarts: 'restarts',
  pods: 'Pods',
  /** The layers of policies that give the missed probes. */
  sources: 'from',
  /** An instant, as RFC 3339. */
  since: 'since',
  workloads: 'workloads',
};

/** The facts of a result, in words: `status: 503`. */
export function factsOf(properties: Partial<LiveProperties>): string[] {
  return Object.entries(SHOWN).flatMap(([name, label]) => {
    const value = properties[name as keyof typeof SHOWN];
    const isInMessage = name === 'pods' && properties.allPods !== undefined;
    return value === undefined || isInMessage ? [] : [`${label}: ${value}`];
  });
}

/** A result about live Pods. The properties of a report that somebody else wrote may be missing. */
export interface LiveResult {
  readonly rule: string;
  readonly message: string;
  readonly properties: Partial<LiveProperties>;
}

/**
 * Results about the live Pods of a workload, each once. Whoever can write reports can write any text, and people copy
 * commands. So the only command that a page shows is the one that replaces the Pods of this workload; every other `fix`
 * is part of the message.
 */
export function liveFindings(results: readonly LiveResult[], workload: RestartedWorkload): LiveFinding[] {
  const restart = restartLine(workload);
  const found = new Map<string, LiveFinding>();
  for (const result of results) {
    const finding = liveFinding(result, restart);
    found.set(JSON.stringify(finding), finding);
  }
  return [...found.values()];
}

function liveFinding({ rule, message, properties }: LiveResult, restart: string): LiveFinding {
  const { fix } = properties;
  const isCommand = fix === restart && fix.startsWith('kubectl ');
  const pods = Number(properties.pods);
  return {
    name: rule,
    message: [
      countedMessage(message, properties),
      ...factsOf(properties),
      ...(fix === undefined || isCommand ? [] : [fix]),
    ].join('; '),
    pods: Number.isSafeInteger(pods) && pods > 0 ? pods : 0,
    ...(properties.cause !== undefined && isFailingRule(rule) && { cause: properties.cause }),
    ...(isCommand && { command: fix }),
  };
}

/** `6 of 6 Pods lack probes ...`, where all Pods were counted. */
function countedMessage(message: string, { pods, allPods }: Partial<LiveProperties>): string {
  if (allPods === undefined) return message;
  const verb = { lack: 'lacks', have: 'has' } as const;
  const own = message.replace(/^Pods (lack|have)\b/, (all, word: keyof typeof verb) =>
    pods === '1' ? `Pods ${verb[word]}` : all,
  );
  return `${pods} of ${allPods} ${own}`;
}

/** `kind` is the kind alone: `Deployment`. Two kinds of the same name in two groups are told apart by `group`. */
export interface RestartedWorkload extends Readonly<Record<'namespace' | 'kind' | 'name', string>> {
  /** The API group; empty for the core group. */
  readonly group: string;
}

/** kubectl's words for the kinds that it can restart (kubectl, pkg/polymorphichelpers/objectrestarter.go). */
const RESTARTED_BY_KUBECTL = new Map([
  ['apps/Deployment', 'deployment'],
  ['apps/StatefulSet', 'statefulset'],
  ['apps/DaemonSet', 'daemonset'],
]);

/**
 * The command or the step by which a person replaces the Pods of a workload; Probewright itself never restarts. A name
 * goes into a command only if the API server takes it.
 */
export function restartLine({ namespace, group, kind, name }: RestartedWorkload): string {
  const resource = RESTARTED_BY_KUBECTL.get(`${group}/${kind}`);
  const isPlain = isDnsSubdomain(namespace) && isDnsSubdomain(name);
  if (isPlain && resource !== undefined) return `kubectl rollout restart ${resource}/${name} -n ${namespace}`;
  if (isPlain && group === 'argoproj.io' && kind === 'Rollout')
    return `kubectl argo rollouts restart ${name} -n ${namespace}`;
  if (kind === 'Job' || kind === 'CronJob') return 'The Pods of the next run get these probes.';
  if (kind === 'Pod') return 'Create the Pod again. No controller replaces it.';
  if (kind === 'ReplicaSet' || kind === 'ReplicationController') {
    return `Delete its Pods one after the other. kubectl rollout restart does not know the kind ${kind}.`;
  }
  return 'Let the controller of the workload replace the Pods. kubectl rollout restart does not know the kind.';
}
