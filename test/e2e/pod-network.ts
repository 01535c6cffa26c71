import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A network namespace that plays the network of a Pod: an address that this machine reaches, and a loopback of its own. */
export interface PodNetwork {
  readonly address: string;
  /** Starts a program of Node in the namespace. */
  readonly start: (script: string) => ChildProcess;
  readonly remove: () => Promise<void>;
}

/** Makes a network namespace, or says in one sentence why none can be made here. */
export async function makePodNetwork(): Promise<PodNetwork | string> {
  const number = randomInt(1, 250);
  const name = `probewright-${process.pid}-${number}`;
  const [host, inner] = [`pw${number}h`, `pw${number}c`];
  const ip = (...args: readonly string[]): Promise<unknown> => run('ip', [...args]);
  try {
    await ip('netns', 'add', name);
    await ip('link', 'add', host, 'type', 'veth', 'peer', 'name', inner, 'netns', name);
    await ip('addr', 'add', `10.199.${number}.1/30`, 'dev', host);
    await ip('link', 'set', host, 'up');
    await ip('-n', name, 'addr', 'add', `10.199.${number}.2/30`, 'dev', inner);
    await ip('-n', name, 'link', 'set', inner, 'up');
    await ip('-n', name, 'link', 'set', 'lo', 'up');
  } catch (error) {
    await ip('netns', 'delete', name).catch(() => undefined);
    return `no network namespace can be made: ${String(error).split('\n')[0] ?? ''}`;
  }
  return {
    address: `10.199.${number}.2`,
    start: (script) => spawn('ip', ['netns', 'exec', name, process.execPath, '-e', script], { stdio: 'pipe' }),
    remove: async () => {
      await ip('netns', 'delete', name).catch(() => undefined);
    },
  };
}
