#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { runCommandLine } from './cli/commands.ts';
import { serverLog } from './server-log.ts';

const args = process.argv.slice(2);
const isServer = args[0] === 'serve';
// A reader that has seen enough (`| head`) is no error. A server leaves the stream alone: it would make a pipe non-blocking.
if (!isServer) {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

process.exitCode = await runCommandLine(args, {
  env: process.env,
  stdout: isServer ? serverLog() : process.stdout,
  stderr: process.stderr,
  stderrIsTerminal: process.stderr.isTTY,
  readStdin: () => text(process.stdin),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  untilSignal,
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
