import { waitsOf } from '../command/waits.ts';
import { DEFAULT_POD_GRACE_SECONDS } from '../probe/api-defaults.ts';
import { MINIMUM_KILL_SECONDS } from '../time/kill.ts';
import { execHooksOf } from '../workload/hooks.ts';
import { preStopSleepSeconds } from '../workload/kill-settings.ts';
import { containerPhrase, defineCheck, quotedValue } from './check.ts';

/**
 * preStop runs within the Pod's grace period, and SIGTERM follows. A hook that takes all of it leaves the minimum of
 * 2 s (pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer). A probe's own grace period does not count when
 * a Pod is deleted. A note for Pods that end by themselves. No edits: the hook may also wait for less time.
 */
export const hookOverGrace = defineCheck({
  id: 'hook-over-grace',
  summary: 'A preStop hook waits for the whole grace period, so SIGTERM comes with nothing left.',
  action: 'Warn',
  run: (container, _, { pod }) => {
    const { graceSeconds, runsForever } = container.pod;
    if (!container.hasPreStop || graceSeconds === undefined) return undefined;
    const sleep = preStopSleepSeconds(container.spec);
    const hook = execHooksOf(container, pod.commands).find(({ kind }) => kind === 'preStop');
    const waits =
      sleep === undefined ? hook && waitsOf(hook.command).least : { seconds: sleep, words: `sleep: ${sleep}` };
    if (waits === undefined || waits.seconds < graceSeconds) return undefined;
    const seconds = Math.ceil(waits.seconds);
    const needed = seconds + (graceSeconds || DEFAULT_POD_GRACE_SECONDS);
    return {
      path: container.place.path('lifecycle', 'preStop'),
      message:
        `the preStop hook of ${containerPhrase(container)} waits for ${seconds} s (${quotedValue(waits.words)}) of ` +
        `${graceSeconds} s in all: SIGTERM leaves ${MINIMUM_KILL_SECONDS} s to end`,
      remedy: `write terminationGracePeriodSeconds: ${needed} in the Pod, or let the hook wait for less time`,
      ...(!runsForever && { level: 'Audit' }),
    };
  },
});
