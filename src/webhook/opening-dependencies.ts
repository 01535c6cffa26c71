import type { Logger } from 'pino';

/** The dependencies for opening the source of the serving pair. */
export interface OpeningDependencies {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Tells the person who started the process, beside the log. */
  readonly notice: (text: string) => void;
}
