import { duration } from '../../base/text/duration.ts';
import type { Circumstances } from './circumstances.ts';
import type { Figure } from './figure.ts';
import type { Lane, Segment } from './scene.ts';

/**
 * The segments from the verdict on: the grace period, then death. A container with restartPolicy Never is killed too,
 * but not started again (pkg/kubelet/kuberuntime/kuberuntime_manager.go, computePodActions).
 *
 * @param verdict when the probe gives up
 * @param dead when the container is dead at the latest, in seconds
 */
export function killSegments(
  { span: { latest: verdict }, preStopSeconds }: Figure,
  dead: number,
  { restarts }: Circumstances,
): Segment[] {
  const sent = preStopSeconds === undefined ? 'SIGTERM has been sent' : 'The preStop hook runs, then SIGTERM is sent';
  const after = restarts ? 'and the kubelet starts it again' : 'and is not started again';
  return [
    {
      tone: 'stopping',
      from: verdict,
      to: dead,
      label: 'being stopped',
      caption: `${sent}. The container has ${duration(dead - verdict)} at most to exit.`,
    },
    { tone: 'dead', from: dead, to: Infinity, label: 'dead', caption: `The container is dead ${after}.` },
  ];
}

/** The first thing that the container notices of a kill. */
export function stopSign({ preStopSeconds }: Figure): NonNullable<Lane['stopSign']> {
  return preStopSeconds === undefined ? 'SIGTERM' : 'preStop';
}
