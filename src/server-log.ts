import { writeSync } from 'node:fs';

const STDOUT = 1;
/** Characters that are written at once, whatever else there is to do. */
const PENDING_LIMIT = 65_536;
/** Milliseconds that a full pipe is waited for, a piece at a time, and how long nothing is written to it after that. */
const PATIENCE = 100;
const DEAF_MILLISECONDS = 1000;

/**
 * Standard output as a server's log. A full disk, or a reader that has gone, costs lines and not the server: a stream that has failed once
 * would keep all further ones in memory for ever. Lines of one turn of the event loop are written together, and what there is when the
 * process ends; one that is killed outright loses those of its last turn.
 */
export function serverLog(): { write(line: string): void } {
  let pending = '';
  const flush = (): void => {
    const lines = pending;
    pending = '';
    if (lines !== '') writeOrLose(lines);
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      if (pending === '') setImmediate(flush);
      pending += line;
      if (pending.length > PENDING_LIMIT) flush();
    },
  };
}

/** Until when lines are dropped at once, as nobody reads them. */
let deafUntil = 0;

function writeOrLose(lines: string): void {
  if (performance.now() < deafUntil) return;
  let rest = Buffer.from(lines);
  for (let patience = PATIENCE; rest.length > 0 && patience > 0;) {
    try {
      rest = rest.subarray(writeSync(STDOUT, rest));
    } catch (error) {
      // A pipe that is full, and shared with somebody who made it non-blocking; there is nowhere to tell of anything else.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      patience -= 1;
      // A reader that has stopped must not cost every line its time.
      if (patience === 0) deafUntil = performance.now() + DEAF_MILLISECONDS;
    }
  }
}
