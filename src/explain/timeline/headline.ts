import { duration } from '../../base/text/duration.ts';
import { figureOf } from './figure.ts';
import type { Circumstances } from './circumstances.ts';
import type { Figure } from './figure.ts';

/** The figures of the start, in two or three short sentences. */
export function headlineOf(figures: readonly Figure[], { restarts, mute }: Circumstances): string {
  if (mute.includes('startupProbe'))
    return 'Never counts as started, and gets no traffic. No probe kills the container.';
  const verdict = figureOf(figures, 'never-healthy-stop');
  const stop = verdict?.span;
  const dead = figureOf(figures, 'never-healthy-dead')?.span;
  const traffic = mute.includes('readinessProbe') ? ' Never Ready, so it gets no traffic.' : '';
  if (stop === undefined || dead === undefined)
    return `No limit on the time to start: no probe kills the container.${traffic}`;
  const promise =
    stop.earliest === 0
      ? 'No time to start is guaranteed: one failed probe can kill the container'
      : `Guaranteed ${duration(stop.earliest)} to start${afterLivenessKill(figures, stop.earliest)}`;
  const latest = `after ${duration(stop.latest)} at the latest`;
  const hook = verdict?.preStopSeconds;
  const kill =
    hook === undefined ? `SIGTERM ${latest}` : `The preStop hook runs ${latest}, SIGTERM up to ${duration(hook)} later`;
  const end = `${kill}; dead by ${duration(dead.latest)}`;
  return `${promise}. ${end}${restarts ? '' : ', and not started again'}.${traffic}`;
}

/** The words for a container that is guaranteed less time after a liveness kill than at its first start. */
function afterLivenessKill(figures: readonly Figure[], firstStart: number): string {
  const seconds = figureOf(figures, 'time-to-restart')?.span.earliest ?? firstStart;
  return seconds === firstStart ? '' : `, but only ${duration(seconds)} after a liveness kill`;
}
