import { fstatSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { utf8Text } from '../sources/utf8.ts';
import { EXIT_OK, EXIT_USAGE, printLine } from './io.ts';

const STDIN_DESCRIPTOR = 0;

/**
 * All of standard input, as UTF-8.
 *
 * @throws Error when it is a directory, which Node would read as nothing at all, or is not UTF-8
 */
export async function readStdin(): Promise<string> {
  if (fstatSync(STDIN_DESCRIPTOR).isDirectory()) throw new Error('EISDIR: it is a directory');
  return utf8Text(await buffer(process.stdin));
}

/**
 * Ends the process when standard output takes no more: whoever reads it has less than there is. A reader that has seen enough (`| head`) is
 * no error.
 */
export function endWithoutStdout(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_OK);
    printLine(process.stderr, `probewright: standard output cannot be written: ${error.message}`);
    process.exit(EXIT_USAGE);
  });
}

/** Goes on when standard error takes no more, for what is on standard output; but what was said there may matter, and the exit code tells. */
export function goOnWithoutStderr(): void {
  let isLost = false;
  process.stderr.on('error', () => (isLost = true));
  process.on('exit', () => {
    if (isLost) process.exitCode = EXIT_USAGE;
  });
}
