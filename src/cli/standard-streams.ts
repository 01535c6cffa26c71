import { fstatSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { utf8Text } from '../base/files/regular-file.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';

const STDIN_DESCRIPTOR = 0;

/**
 * All of standard input, as UTF-8.
 *
 * @throws Error when standard input is a directory, which Node would read as an empty text, or is not UTF-8
 */
export async function readStdin(): Promise<string> {
  if (fstatSync(STDIN_DESCRIPTOR).isDirectory()) throw new Error('EISDIR: it is a directory');
  return utf8Text(await buffer(process.stdin));
}

/**
 * Ends the process when standard output cannot be written, as the output would be incomplete. A reader that has seen
 * enough (`| head`) is no error.
 */
export function endWithoutStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_OK);
    printLine(process.stderr, `probewright: standard output cannot be written: ${error.message}`);
    process.exit(EXIT_USAGE);
  });
}

/**
 * Continues when standard error cannot be written, for the sake of standard output. The exit code shows that messages
 * were lost.
 */
export function goOnWithoutStderr(): void {
  let isLost = false;
  process.stderr.on('error', () => (isLost = true));
  process.on('exit', () => {
    if (isLost) process.exitCode = EXIT_USAGE;
  });
}

/** The width of most terminals, for a terminal that does not know its width. */
const USUAL_COLUMNS = 80;

/** The columns of the terminal that a stream writes to. Undefined when the stream writes to no terminal. */
export function terminalColumns({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  if (!isTTY) return undefined;
  return columns > 0 ? columns : USUAL_COLUMNS;
}
