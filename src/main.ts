import { runCommandLine } from './cli/commands.ts';
import { EXIT_USAGE, printLine } from './cli/io.ts';
import { endWithoutStdout, goOnWithoutStderr, readStdin, terminalColumns } from './cli/standard-streams.ts';

const args = process.argv.slice(2);
const isServer = args[0] === 'serve' || args[0] === 'observe';
goOnWithoutStderr();
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
  untilSignal,
}).catch((error: unknown) => {
  // Node exits with code 1 for an uncaught error. Here, code 1 means that a violation is denied, so use another code.
  for (const line of String(error instanceof Error ? error.stack : error).split('\n')) printLine(process.stderr, line);
  process.exit(EXIT_USAGE);
});

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
