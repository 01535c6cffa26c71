#!/usr/bin/env node
import { runCommandLine } from './cli/commands.ts';
import { EXIT_USAGE, printLine } from './cli/io.ts';
import { endWithoutStdout, goOnWithoutStderr, readStdin } from './cli/standard-streams.ts';
import { letHeapGrow } from './garbage-collection.ts';
import { serverLog } from './server-log.ts';

const args = process.argv.slice(2);
const isServer = args[0] === 'serve';
goOnWithoutStderr();
// A server leaves the stream alone: it would make a pipe non-blocking.
if (!isServer) endWithoutStdout();

process.exitCode = await runCommandLine(args, {
  env: process.env,
  stdout: isServer ? serverLog() : process.stdout,
  stderr: process.stderr,
  stderrIsTerminal: process.stderr.isTTY,
  readStdin,
  now: () => Date.now(),
  monotonic: () => performance.now(),
  untilSignal,
  letHeapGrow,
}).catch((error: unknown) => {
  // Not left to Node: its exit code for what nobody caught is the one for findings.
  for (const line of String(error instanceof Error ? error.stack : error).split('\n')) printLine(process.stderr, line);
  process.exit(EXIT_USAGE);
});

/** A second signal ends the process at once. As process 1 of a container it must say so itself: there a signal without a handler is ignored. */
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
