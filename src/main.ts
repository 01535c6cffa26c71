#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { runCommandLine } from './cli/commands.ts';

const args = process.argv.slice(2);
const isServer = args[0] === 'serve';
/** Until when lines of the log are dropped at once, as nobody reads them. */
let deafUntil = 0;
// A reader that has seen enough (`| head`) is no error. A server leaves the stream alone: it would make a pipe non-blocking.
if (!isServer) {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

process.exitCode = await runCommandLine(args, {
  env: process.env,
  stdout: isServer ? { write: writeOrLose } : process.stdout,
  stderr: process.stderr,
  stderrIsTerminal: process.stderr.isTTY,
  readStdin: () => text(process.stdin),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  untilSignal,
});

/**
 * Lines of a server's log. A full disk, or a reader that has gone, costs lines and not the server: a stream that has failed once would keep all
 * further ones in memory for ever.
 */
function writeOrLose(line: string): void {
  if (performance.now() < deafUntil) return;
  let rest = Buffer.from(line);
  for (let patience = 100; rest.length > 0 && patience > 0;) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      // A pipe that is full, and shared with somebody who made it non-blocking; there is nowhere to tell of anything else.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      patience -= 1;
      // A reader that has stopped must not cost every line its time.
      if (patience === 0) deafUntil = performance.now() + 1000;
    }
  }
}

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
