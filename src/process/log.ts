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
/** Lines wait for others: a write for each of some thousand reviews a second takes more time than their lines do. */
const GATHERED_BYTES = 4096;
const GATHERING_MILLISECONDS = 100;
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
    minLength: GATHERED_BYTES,
    maxLength: PENDING_BYTES,
    periodicFlush: GATHERING_MILLISECONDS,
  });
  // There is nowhere else to tell of it.
  destination.on('error', () => undefined);
  return destination;
}
