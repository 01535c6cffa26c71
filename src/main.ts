import { fstatSync } from 'node:fs';
import { basename } from 'node:path';
import { utf8Text } from './base/files/regular-file.ts';
import { runCommandLine } from './cli/commands.ts';
import { EXIT_OK, EXIT_USAGE, PROGRAM, printLine } from './cli/io.ts';

const STDIN_DESCRIPTOR = 0;
/** The width of most terminals, for a terminal that does not know its width. */
const USUAL_COLUMNS = 80;

const args = process.argv.slice(2);
const isServer = args[0] === 'serve' || args[0] === 'observe';
goOnWithoutStderr();
endWithResult();
// Skip the server: accessing process.stdout makes a pipe non-blocking.
if (!isServer) endWithoutStdout();

process.exitCode = await runCommandLine(args, {
  env: process.env,
  // Loaded when needed only: a command starts faster without the logger.
  stdout: isServer ? (await import('./process/log.ts')).serverLog() : process.stdout,
  stderr: process.stderr,
  stdoutColumns: isServer ? undefined : terminalColumns(process.stdout),
  stderrColumns: terminalColumns(process.stderr),
  readStdin,
  now: () => Date.now(),
  monotonic: () => performance.now(),
  isKubectlPlugin: basename(process.argv[1] ?? '').startsWith('kubectl-'),
  untilSignal,
}).catch(endWithError);

/**
 * Node exits with code 1 for an uncaught error. Here, code 1 means that a violation is denied, so use another code.
 */
function endWithError(error: unknown): never {
  for (const line of String(error instanceof Error ? error.stack : error).split('\n')) printLine(process.stderr, line);
  process.exit(EXIT_USAGE);
}

/**
 * A command without an exit code has no result. Node ends such a process with code 0 when nothing is left that could
 * wake it, and with code 1 for an error that nobody catches.
 */
function endWithResult(): void {
  process.on('uncaughtException', endWithError);
  process.on('beforeExit', () => {
    if (process.exitCode !== undefined) return;
    process.exitCode = EXIT_USAGE;
    printLine(process.stderr, `${PROGRAM} ${args[0] ?? ''}: ended without a result. This is a bug: please report it.`);
  });
}

/**
 * Resolves with the first signal. A second signal ends the process at once. The handlers are needed because process 1
 * of a container ignores signals without a handler.
 */
function untilSignal(): Promise<'SIGTERM' | 'SIGINT'> {
  const { promise, resolve } = Promise.withResolvers<'SIGTERM' | 'SIGINT'>();
  let isSecond = false;
  const heard = (signal: NodeJS.Signals): void => {
    if (isSecond) process.exit(signal === 'SIGINT' ? 130 : 143);
    isSecond = true;
    resolve(signal as 'SIGTERM' | 'SIGINT');
  };
  process.on('SIGTERM', heard);
  process.on('SIGINT', heard);
  return promise;
}

/**
 * All of standard input, as UTF-8.
 *
 * @throws Error when standard input is a directory, which Node would read as an empty text, or is not UTF-8
 */
async function readStdin(): Promise<string> {
  if (fstatSync(STDIN_DESCRIPTOR).isDirectory()) throw new Error('EISDIR: it is a directory');
  const { buffer } = await import('node:stream/consumers');
  return utf8Text(await buffer(process.stdin));
}

/**
 * Ends the process when standard output cannot be written, as the output would be incomplete. A reader that has seen
 * enough (`| head`) is no error.
 */
function endWithoutStdout(): void {
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
function goOnWithoutStderr(): void {
  let isLost = false;
  process.stderr.on('error', () => (isLost = true));
  process.on('exit', () => {
    if (isLost) process.exitCode = EXIT_USAGE;
  });
}

/** The columns of the terminal that a stream writes to. Undefined when the stream writes to no terminal. */
function terminalColumns({ isTTY, columns }: NodeJS.WriteStream): number | undefined {
  if (!isTTY) return undefined;
  return columns > 0 ? columns : USUAL_COLUMNS;
}
