import { outputLine } from '../text/visible.ts';

/** What a command is given by the process, so that tests can be the process. */
export interface CommandIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** A person watches standard error. */
  readonly stderrIsTerminal: boolean;
  /** All of standard input, as UTF-8. */
  readonly readStdin: () => Promise<string>;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
  /** Resolves with the first SIGTERM or SIGINT. */
  readonly untilSignal: () => Promise<'SIGTERM' | 'SIGINT'>;
  /** For a server that has started: from now on, memory is cheaper than pauses. */
  readonly letHeapGrow: () => void;
}

/** Writes a line for people or a CI log: whatever is in the text, it is one line, is visible and is no command to a terminal or CI host. */
export function printLine(stream: CommandIo['stderr'], text: string): void {
  stream.write(`${outputLine(text)}\n`);
}

/** Exit codes of every command. */
export const EXIT_OK = 0;
/** Findings that a policy denies. */
export const EXIT_DENIED = 1;
/** Unreadable input or bad usage. */
export const EXIT_USAGE = 2;

/** A command: its arguments come after its name; resolves with the exit code. */
export type Command = (args: readonly string[], io: CommandIo) => Promise<number>;
