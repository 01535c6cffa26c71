import { restartLine } from './restart-line.ts';
import type { LiveFinding } from './report.ts';
import type { RestartedWorkload } from './restart-line.ts';

/**
 * The properties of results about live Pods. Who makes the results and who shows the results share these names. All
 * values are texts, because report APIs allow only texts.
 */
export interface LiveProperties {
  /** Why: `outdated`, `connection-refused`. */
  readonly cause: string;
  /** The command or the change that helps. */
  readonly fix: string;
  /** How many Pods. */
  readonly pods?: string;
  /** The layers of policies that give the missed probes. */
  readonly sources?: string;
  readonly container?: string;
  readonly probe?: string;
  /** An instant, as RFC 3339. */
  readonly since?: string;
  /** Workloads that fail together. */
  readonly workloads?: string;
}

/** The properties after the message, in this order. The message says the cause. */
const SHOWN = {
  container: 'container',
  probe: 'probe',
  pods: 'Pods',
  sources: 'from',
  since: 'since',
  workloads: 'workloads',
} as const satisfies Partial<Record<keyof LiveProperties, string>>;

/** A result about live Pods. The properties of a report that somebody else wrote may be missing. */
interface LiveResult {
  readonly rule: string;
  readonly message: string;
  readonly properties: Partial<LiveProperties>;
}

/**
 * Results about the live Pods of a workload that no check makes, as a page shows them. A result that several reports
 * have is shown once. Whoever can write reports can write any text, and people copy commands. So the only command that
 * a page shows is the one that replaces the Pods of this workload; every other text of `fix` is part of the message.
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
  const details = Object.entries(SHOWN).flatMap(([name, label]) => {
    const value = properties[name as keyof typeof SHOWN];
    return value === undefined ? [] : [`${label}: ${value}`];
  });
  const isCommand = fix === restart && fix.startsWith('kubectl ');
  const pods = Number(properties.pods);
  return {
    name: rule,
    message: [message, ...details, ...(fix === undefined || isCommand ? [] : [fix])].join('; '),
    pods: Number.isSafeInteger(pods) && pods > 0 ? pods : 0,
    ...(isCommand && { command: fix }),
  };
}
