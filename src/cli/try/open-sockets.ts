import { readRegularFile } from '../../base/files/regular-file.ts';
import { runProgram } from './exec-probe.ts';
import type { Target } from './target.ts';

const SOCKET_FILES = ['/proc/net/tcp', '/proc/net/tcp6'];
const SOCKETS_MILLISECONDS = 5000;

/** What the tables of sockets inside of a container tell: nothing where there is no `cat`. */
export function socketsInside(prefix: readonly string[]): Required<Pick<Target, 'isLoopbackOnly' | 'listeningPorts'>> {
  const tables = (): Promise<string> =>
    runProgram([...prefix, 'cat', ...SOCKET_FILES], SOCKETS_MILLISECONDS, 1 << 20).then(
      ({ output }) => output,
      () => '',
    );
  return {
    isLoopbackOnly: async (port) => isBoundToLoopbackOnly(await tables(), port),
    listeningPorts: async () => [
      ...new Set(listeners(await tables()).flatMap(({ isLoopback, port }) => (isLoopback ? [] : [port]))),
    ],
  };
}

/** The tables of sockets of this machine; empty on other systems. Nothing is sent. */
export async function socketsOfThisMachine(): Promise<string> {
  const tables = SOCKET_FILES.map((file) => readRegularFile(file).then(String, () => ''));
  return (await Promise.all(tables)).join('\n');
}

/** The state of a socket that listens (include/net/tcp_states.h), and addresses as the kernel writes them. */
const LISTEN = '0A';
const LOOPBACK = /^(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/;

/** The sockets that listen, in the tables of the kernel (proc(5), /proc/net/tcp). */
function listeners(tables: string): readonly { readonly port: number; readonly isLoopback: boolean }[] {
  return tables.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    return state === LISTEN ? [{ port: Number.parseInt(port, 16), isLoopback: LOOPBACK.test(address) }] : [];
  });
}

/** True when sockets listen on the port, and all of them on loopback addresses. */
export function isBoundToLoopbackOnly(tables: string, port: number): boolean {
  const own = listeners(tables).filter((listener) => listener.port === port);
  return own.length > 0 && own.every(({ isLoopback }) => isLoopback);
}
