import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Started by leftovers.ts, whose end closes the standard input. */
const processes = new Set<number>();
const directories = new Set<string>();

for await (const line of createInterface({ input: process.stdin })) {
  const [what = '', value = ''] = line.split(' ', 2);
  if (what === 'process') processes.add(Number(value));
  else if (what === 'ended') processes.delete(Number(value));
  else if (what === 'directory') directories.add(value);
  else directories.delete(value);
}
for (const pid of processes) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended together with whoever started it.
  }
}
// Retried, as what has just been killed may still be writing.
for (const path of directories) rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
