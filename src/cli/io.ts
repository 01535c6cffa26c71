import { outputLine } from '../base/text/visible.ts';

export const PROGRAM = 'probewright';

/** The input and output of a command, so that tests can take the place of the process. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** The columns of the terminal that shows standard output. Undefined when standard output is no terminal. */
  readonly stdoutColumns: number | undefined;
  /** The columns of the terminal that shows standard error. Undefined when standard error is no terminal. */
  readonly stderrColumns: number | undefined;
  readonly readStdin: () => Promise<string>;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
  /** The program was started as `kubectl probewright`. */
  readonly isKubectlPlugin?: boolean;
  readonly untilSignal: () => Promise<'SIGTERM' | 'SIGINT'>;
}

/**
 * Writes one line for people or a CI log. Hidden characters in the text are escaped, so that no terminal or CI host
 * obeys them.
 */
export function printLine(stream: CommandIo['stderr'], text: string): void {
  stream.write(`${outputLine(text)}\n`);
}

/** A command line that is wrong in a way that only its inputs show. The message is the problem. */
export class UsageError extends Error {}

/** Exit codes of every command. */
export const EXIT_OK = 0;
/** There are violations that a policy denies. */
export const EXIT_DENIED = 1;
/** An input cannot be read, or the command line is wrong. */
export const EXIT_USAGE = 2;
