/** A moment of a process's own monotonic clock, in milliseconds since the epoch, which the processes of a machine have in common. */
const now = (): number => performance.timeOrigin + performance.now();

/** Until when, and for how many milliseconds, a thread had something to do and no processor. */
export type LostTime = readonly (readonly [until: number, milliseconds: number])[];

/**
 * Notes when the thread had something to do and no processor, as others used all processors: that is no fault of the program. From now on until the
 * process ends; takes a timer.
 *
 * @returns gives what was noted since the last look
 */
export function noteLostTime(): () => LostTime {
  const lost: [number, number][] = [];
  let last = { busy: busy(), processor: processor() };
  setInterval(() => {
    const next = { busy: busy(), processor: processor() };
    const milliseconds = next.busy - last.busy - (next.processor - last.processor);
    if (milliseconds > 1) lost.push([now(), milliseconds]);
    last = next;
  }, 1).unref();
  return () => lost.splice(0);
}

function busy(): number {
  return performance.now() - performance.nodeTiming.idleTime;
}

function processor(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How long a call took, without the time that the processes which took part in it had lost. */
export function withoutLostTime(began: number, milliseconds: number, lost: readonly LostTime[]): number {
  const end = began + milliseconds;
  let left = milliseconds;
  for (const entries of lost)
    for (const [until, length] of entries) left -= Math.max(0, Math.min(end, until) - Math.max(began, until - length));
  return Math.max(0, left);
}

/** When a call begins, for `withoutLostTime`. */
export const startOfCall = now;
