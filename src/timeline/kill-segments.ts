import { duration } from '../text/duration.ts';
import type { Segment } from './scene.ts';

/** What happens to a container that a probe has killed. */
export interface Aftermath {
  readonly restarts: boolean;
}

/**
 * The segments from the verdict on: the grace period, then death.
 *
 * @param verdict when SIGTERM is sent at the latest, in seconds
 * @param dead when the container is dead at the latest, in seconds
 * @param state what the container still does, such as `Still hanging`
 */
export function killSegments(verdict: number, dead: number, { restarts }: Aftermath, state: string): Segment[] {
  const after = restarts ? 'the kubelet starts it anew' : 'it is not started again';
  return [
    {
      tone: 'stopping',
      from: verdict,
      to: dead,
      label: 'being stopped',
      caption: `${state}: told to stop for sure (SIGTERM), with ${duration(dead - verdict)} at most to end.`,
    },
    { tone: 'dead', from: dead, to: Infinity, label: 'dead', caption: `Dead for sure; ${after}.` },
  ];
}
