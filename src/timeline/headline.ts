import { duration } from '../text/duration.ts';
import { figureOf } from './figure.ts';
import type { Circumstances } from './circumstances.ts';
import type { Figure } from './figure.ts';

/** The figures of the start, in two or three short sentences. */
export function headlineOf(figures: readonly Figure[], { restarts, mute }: Circumstances): string {
  if (mute.includes('startupProbe'))
    return 'Never counts as started, and gets no traffic. No probe kills the container.';
  const stop = figureOf(figures, 'never-healthy-stop')?.span;
  const dead = figureOf(figures, 'never-healthy-dead')?.span;
  const traffic = mute.includes('readinessProbe') ? ' Never Ready, so it gets no traffic.' : '';
  if (stop === undefined || dead === undefined)
    return `No limit on the time to start: no probe kills the container.${traffic}`;
  const promise =
    stop.earliest === 0
      ? 'No time to start is guaranteed: one failed probe can kill the container'
      : `Guaranteed ${duration(stop.earliest)} to start`;
  const end = `SIGTERM after ${duration(stop.latest)} at the latest; dead by ${duration(dead.latest)}`;
  return `${promise}. ${end}${restarts ? '' : ', and not started again'}.${traffic}`;
}
