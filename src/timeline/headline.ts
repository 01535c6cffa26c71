import { duration } from '../text/duration.ts';
import { figureOf } from './figure.ts';
import type { Figure } from './figure.ts';

/** The figures of the start, in one sentence. */
export function headlineOf(figures: readonly Figure[]): string {
  const stop = figureOf(figures, 'never-healthy-stop')?.span;
  const dead = figureOf(figures, 'never-healthy-dead')?.span;
  if (stop === undefined || dead === undefined) return 'No probe kills it while it starts, however long that takes.';
  const promise =
    stop.earliest === 0
      ? 'It is promised no time at all to start: one failed probe may kill it at once'
      : `It surely has ${duration(stop.earliest)} to start`;
  const verdict = `Not healthy by second ${stop.latest}, it is told to stop for sure`;
  return `${promise}. ${verdict}, and is dead by second ${dead.latest}.`;
}
