#!/usr/bin/env node
import { text } from 'node:stream/consumers';
import { runCommandLine } from './cli/commands.ts';

// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  stderrIsTerminal: process.stderr.isTTY,
  readStdin: () => text(process.stdin),
  now: () => Date.now(),
  monotonic: () => performance.now(),
  untilSignal,
});

/** A second signal finds no handler and ends the process at once. */
function untilSignal(): Promise<'SIGTERM' | 'SIGINT'> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}
