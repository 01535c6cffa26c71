import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Which core is whose. Without taskset, or with one core only, nothing is pinned. */
export interface Cores {
  readonly server: number;
  readonly load: number;
}

/** The first two cores that this process may use, as it was started. */
export const cores: Cores | undefined = firstTwo();

function allowed(): number[] {
  const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function firstTwo(): Cores | undefined {
  try {
    const [server, load] = allowed();
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return server === undefined || load === undefined ? undefined : { server, load };
  } catch {
    return undefined;
  }
}

/** Does something with this process, all its threads and the children to come on the load's core. */
export async function onLoadCore<T>(work: () => T | Promise<T>): Promise<T> {
  if (cores === undefined) return work();
  const before = allowed();
  stayOn([cores.load]);
  try {
    return await work();
  } finally {
    stayOn(before);
  }
}

function stayOn(list: readonly number[]): void {
  execFileSync('taskset', ['-acp', list.join(','), String(process.pid)], { stdio: 'ignore' });
}
