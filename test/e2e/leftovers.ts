import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Writable } from 'node:stream';

/**
 * What must not outlive this process, however it ends: a signal, even SIGKILL, leaves no time for clearing away. A process
 * of its own, in leftovers-process.ts, is told of everything here and clears away what is left when the pipe to it closes.
 */
export interface Leftovers {
  process(pid: number | undefined): void;
  processEnded(pid: number | undefined): void;
  directory(path: string): void;
  directoryRemoved(path: string): void;
}

export const leftovers: Leftovers = {
  process: (pid) => tell('process', pid),
  processEnded: (pid) => tell('ended', pid),
  directory: (path) => tell('directory', path),
  directoryRemoved: (path) => tell('removed', path),
};

let pipe: Writable | undefined;

function tell(what: string, value: number | string | undefined): void {
  pipe ??= start();
  if (value !== undefined) pipe.write(`${what} ${value}\n`);
}

function start(): Writable {
  const program = join(import.meta.dirname, 'leftovers-process.ts');
  // Of no session that is interrupted together with this process, and nobody waits for it.
  const child = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  const { stdin } = child;
  (stdin as Writable & { unref?: () => void }).unref?.();
  stdin.on('error', () => undefined);
  return stdin;
}
