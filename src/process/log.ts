import pino from 'pino';
import { visibleJson } from '../base/text/visible.ts';
import type { DestinationStream, Logger } from 'pino';
import type { LogLevel } from './log-level.ts';

/** One line an event, a constant message plus fields. Control characters for terminals are escaped. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => destination.write(visibleJson(line)) },
  );
}

const STDOUT = 1;
/** Lines wait for others: a write takes more time than their lines do, and a sixth of what 20 reviews a second take. */
const GATHERED_BYTES = 16 * 1024;
const GATHERING_MILLISECONDS = 500;
/** A scan of 50,000 workloads says as much within a few turns of the event loop, and each turn makes one write. */
const MOST_BYTES_OF_WRITE = 256 * 1024;
/** The memory for lines that standard output does not take. */
const PENDING_BYTES = 1024 * 1024;

/**
 * Standard output, written beside the event loop. A full disk, or a reader that has gone, costs lines and not the
 * server. A process that ends writes its lines; one that is killed loses them.
 */
export function serverLog(): DestinationStream {
  const destination = pino.destination({
    dest: STDOUT,
    sync: false,
    // With texts, each line would cost as much as all lines that wait.
    contentMode: 'buffer',
    minLength: GATHERED_BYTES,
    maxWrite: MOST_BYTES_OF_WRITE,
    maxLength: PENDING_BYTES,
  });
  let isWritable = true;
  // There is nowhere else to tell of it.
  destination.on('error', () => (isWritable = false));
  destination.on('write', (bytes) => (isWritable ||= bytes > 0));
  process.once('beforeExit', () => destination.flush());
  // pino calls it at the exit. Where nothing can be written, sonic-boom would try for ever.
  const flushSync = destination.flushSync.bind(destination);
  destination.flushSync = () => {
    if (isWritable) flushSync();
  };
  let flushing: NodeJS.Timeout | undefined;
  const flush = (): void => {
    flushing = undefined;
    destination.flush();
  };
  return {
    write: (line) => {
      // The timer of sonic-boom would wake up the process ten times a second, also without lines.
      flushing ??= setTimeout(flush, GATHERING_MILLISECONDS).unref();
      // Typed for texts only.
      destination.write(Buffer.from(line) as unknown as string);
    },
  };
}
