import pino from 'pino';
import { visibleJson } from '../base/text/json-text.ts';
import type { DestinationStream, Logger } from 'pino';
import type { LogLevel } from './log-level.ts';

/**
 * A JSON logger: one line an event, a constant message plus fields. Control characters for terminals and log viewers
 * are escaped.
 */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    new VisibleLines(destination),
  );
}

/** The stream of a logger, which makes each line safe to show. */
class VisibleLines implements DestinationStream {
  readonly destination: DestinationStream;

  constructor(destination: DestinationStream) {
    this.destination = destination;
  }

  write(line: string): void {
    this.destination.write(visibleJson(line));
  }
}

/** The destination of a logger from `createLogger`, for lines that are already safe to show. */
export function destinationOf(logger: Logger): DestinationStream {
  const stream = (logger as unknown as Readonly<Record<symbol, unknown>>)[pino.symbols.streamSym];
  if (!(stream instanceof VisibleLines)) throw new Error('the logger has no stream');
  return stream.destination;
}

let second = NaN;
let secondText = '';

/**
 * The time as a member of a line. As pino.stdTimeFunctions.isoTime, which makes a date of every line: the lines of one
 * second share all but the milliseconds.
 */
export function isoTime(): string {
  const now = Date.now();
  if (Math.floor(now / 1000) !== second) {
    second = Math.floor(now / 1000);
    secondText = new Date(second * 1000).toISOString().slice(0, -'000Z'.length);
  }
  return `,"time":"${secondText}${String(now - second * 1000).padStart(3, '0')}Z"`;
}
