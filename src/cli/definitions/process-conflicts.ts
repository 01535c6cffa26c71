import { formatDuration } from '../flags/duration.ts';
import { DURATION_LIMITS } from '../../webhook/duration-limits.ts';

/** The durations of every process that speaks to a cluster, in milliseconds. */
interface ClusterDurations {
  readonly 'lease-duration': number;
  readonly 'lease-renew': number;
  readonly 'watch-renewal': number;
}

/** Durations with which the replicas could be without a leader, or changes would be seen too late. */
export function conflictsOfClusterDurations(flags: ClusterDurations): string[] {
  const problems: string[] = [];
  const leaseDuration = flags['lease-duration'];
  const leaseRenew = flags['lease-renew'];
  const watchRenewal = flags['watch-renewal'];
  const mostRenew = leaseDuration / DURATION_LIMITS.renewalsInLeaseDuration;
  const { leastWatchRenewal, mostWatchRenewal } = DURATION_LIMITS;
  if (leaseRenew > mostRenew) {
    problems.push(
      `--lease-renew: ${formatDuration(leaseRenew)} is too rare for --lease-duration ` +
        `${formatDuration(leaseDuration)}: at most ${formatDuration(Math.floor(mostRenew))}`,
    );
  }
  if (watchRenewal < leastWatchRenewal || watchRenewal > mostWatchRenewal) {
    const [least, most] = [leastWatchRenewal, mostWatchRenewal].map(formatDuration);
    problems.push(`--watch-renewal: must be from ${least} to ${most}, not ${formatDuration(watchRenewal)}`);
  }
  return problems;
}
