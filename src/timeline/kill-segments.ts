import { duration } from '../text/duration.ts';
import type { Circumstances } from './circumstances.ts';
import type { Segment } from './scene.ts';

/**
 * The segments from the verdict on: the grace period, then death. A container with restartPolicy Never is killed too,
 * but not started again (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions).
 *
 * @param verdict when SIGTERM is sent at the latest, in seconds
 * @param dead when the container is dead at the latest, in seconds
 */
export function killSegments(verdict: number, dead: number, { restarts }: Circumstances): Segment[] {
  const after = restarts ? 'and the kubelet starts it again' : 'and is not started again';
  return [
    {
      tone: 'stopping',
      from: verdict,
      to: dead,
      label: 'being stopped',
      caption: `SIGTERM has been sent. The container has ${duration(dead - verdict)} at most to exit.`,
    },
    { tone: 'dead', from: dead, to: Infinity, label: 'dead', caption: `The container is dead ${after}.` },
  ];
}
