import { isFailingRule } from '../../engine/facts/live-rules.ts';
import { fittingRestart, restartLine, type RestartedWorkload } from './restart-line.ts';
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
  /** The time to start that was learned when the Pod was created. */
  learnedSeconds: 'learned seconds',
  exitCode: 'exit code',
  /** The word of the kubelet, the scheduler or a controller: `ImagePullBackOff`. */
  reason: 'reason',
  /** What it says about the reason. */
  words: 'it says',
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
 * is text.
 */
export function liveFindings(results: readonly LiveResult[], workload: RestartedWorkload): LiveFinding[] {
  const restart = restartLine(workload);
  const found = new Map<string, LiveFinding>();
  for (const result of fittingRestart(results, workload)) {
    const finding = liveFinding(result, restart);
    found.set(JSON.stringify(finding), finding);
  }
  return [...found.values()];
}

function liveFinding({ rule, message, properties }: LiveResult, restart: string): LiveFinding {
  const { fix } = properties;
  const isCommand = fix === restart && fix.startsWith('kubectl ');
  const pods = Number(properties.pods);
  const facts = factsOf(properties);
  return {
    name: rule,
    message: countedMessage(message, properties),
    ...(facts.length > 0 && { facts }),
    pods: Number.isSafeInteger(pods) && pods > 0 ? pods : 0,
    ...(properties.cause !== undefined && isFailingRule(rule) && { cause: properties.cause }),
    ...(isCommand ? { command: fix } : fix !== undefined && { remedy: fix }),
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
