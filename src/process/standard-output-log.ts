import { writeSync } from 'node:fs';
import { MOST_BYTES_A_UNIT } from '../base/text/utf8.ts';

const STDOUT = 1;
/**
 * Milliseconds that lines may wait for others: a write for each of some thousand reviews a second takes more time than
 * their lines do.
 */
const GATHERING_MILLISECONDS = 100;
/** The memory for lines that wait. Full memory is written at once, whatever else there is to do. */
const PENDING_BYTES = 65_536;
/** Milliseconds to wait for a full pipe, and then to write nothing to it. */
const PATIENCE = 100;
const DEAF_MILLISECONDS = 1000;

/**
 * Standard output as a server's log. A full disk, or a reader that has gone, costs lines and not the server: a stream
 * that has failed once would keep all further ones in memory. The lines of a tenth of a second are written together. A
 * process that ends, also by an error that nobody catches, writes the lines that it has; a process that is killed loses
 * them.
 */
export function serverLog(): { write(line: string): void } {
  // Lines become bytes one by one: a text of many joined lines would have to be put together again before.
  const pending = Buffer.allocUnsafeSlow(PENDING_BYTES);
  let used = 0;
  const flush = (): void => {
    const lines = pending.subarray(0, used);
    used = 0;
    if (lines.length > 0) writeOrLose(lines);
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      const most = line.length * MOST_BYTES_A_UNIT;
      if (used + most > PENDING_BYTES) flush();
      if (most > PENDING_BYTES) {
        writeOrLose(Buffer.from(line));
        return;
      }
      if (used === 0) setTimeout(flush, GATHERING_MILLISECONDS).unref();
      used += pending.write(line, used);
    },
  };
}

/** Until when lines are dropped without waiting, as nobody reads them. */
let deafUntil = 0;

function writeOrLose(lines: Buffer): void {
  if (performance.now() < deafUntil) return;
  let rest = lines;
  for (let patience = PATIENCE; rest.length > 0 && patience > 0;) {
    try {
      rest = rest.subarray(writeSync(STDOUT, rest));
    } catch (error) {
      // A pipe that is full, and shared with somebody who made it non-blocking; there is nowhere to tell of anything
      // else.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      patience -= 1;
      // A reader that has stopped must not cost every line its time.
      if (patience === 0) deafUntil = performance.now() + DEAF_MILLISECONDS;
    }
  }
}
