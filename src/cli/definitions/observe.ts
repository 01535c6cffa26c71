import { formatDuration } from '../flags/duration.ts';
import { OBSERVE_FLAGS } from './observe-flags.ts';
import { conflictsOfClusterDurations } from './process-conflicts.ts';
import type { CommandDefinition } from '../flags/command-definition.ts';
import type { ObserveFlagValues } from './observe-flags.ts';

/** A shorter interval would keep the API server busy with lists. */
const LEAST_SCAN_INTERVAL = 60_000;

/** `probewright observe`. */
export const OBSERVE: CommandDefinition<typeof OBSERVE_FLAGS> = {
  name: 'observe',
  summary: 'Watch a cluster, judge its workloads, and write reports',
  usage: '--kubeconfig FILE|in-cluster [flags]',
  description: [
    'Watches the workloads of a cluster, judges them as the webhook would, and writes reports, until SIGTERM or SIGINT.',
    'Each flag is also an environment variable. The flag overrides the variable.',
  ],
  positionals: undefined,
  flags: OBSERVE_FLAGS,
  readsEnvironment: true,
  exitCodes: [
    { code: 0, meaning: 'The observer has stopped after a signal.' },
    { code: 2, meaning: 'The observer cannot start, or the command line is wrong.' },
  ],
  conflicts: conflictsOfObserve,
};

/** The conflicts between values of the flags that are right by themselves. */
function conflictsOfObserve(flags: ObserveFlagValues): string[] {
  const problems: string[] = [];
  if (flags.kubeconfig === undefined) problems.push('--kubeconfig: must be given: a file, or in-cluster');
  if (flags['scan-interval'] < LEAST_SCAN_INTERVAL) {
    const [least, given] = [LEAST_SCAN_INTERVAL, flags['scan-interval']].map(formatDuration);
    problems.push(`--scan-interval: ${given} is too short: at least ${least}`);
  }
  return [...problems, ...conflictsOfClusterDurations(flags)];
}
