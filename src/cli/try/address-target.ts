import { networkInterfaces } from 'node:os';
import { isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { readRegularFile } from '../../base/files/regular-file.ts';
import { isOpen } from './connection.ts';
import { runProgram } from './exec-probe.ts';
import type { Target } from './target.ts';

/** Where a process or a container with published ports is reached. */
export interface AddressSettings {
  readonly host: string;
  /** The local port of each container port that differs. */
  readonly ports: ReadonlyMap<number, number>;
  /** The command that is put before the command of an exec probe: `docker exec web`. Empty for none. */
  readonly execPrefix: readonly string[];
}

/** The target of `--address`. */
export function addressTarget({ host, ports, execPrefix }: AddressSettings): Target {
  return {
    name: host,
    host,
    endpoint: (port) => Promise.resolve({ host, port: ports.get(port) ?? port }),
    exec: (_container, command, timeout) =>
      execPrefix.length === 0
        ? Promise.resolve({ notRun: "--exec is not given: it names the command that runs the probe's command" })
        : runProgram([...execPrefix, ...command], timeout),
    isLoopbackOnly: async (port) => {
      if (execPrefix.length > 0) return isBoundToLoopbackOnly(await socketsByCommand(execPrefix), port);
      const place = { host, port: ports.get(port) ?? port };
      if (!isThisMachine(host) || (await isOpen(place))) return false;
      return isBoundToLoopbackOnly(await listeningSockets(), place.port);
    },
    ...(execPrefix.length > 0 && { listeningPorts: async () => portsForOthers(await socketsByCommand(execPrefix)) }),
    close: () => Promise.resolve(),
  };
}

function isThisMachine(host: string): boolean {
  if (isLoopbackHost(host)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}

/** The tables of sockets that Linux has. */
const SOCKET_FILES = ['/proc/net/tcp', '/proc/net/tcp6'];
const SOCKETS_MILLISECONDS = 5000;

/** The tables of sockets inside of a container; empty where there is no `cat`. */
export async function socketsByCommand(prefix: readonly string[]): Promise<string> {
  const end = await runProgram([...prefix, 'cat', ...SOCKET_FILES], SOCKETS_MILLISECONDS, 1 << 20);
  return 'notRun' in end ? '' : end.output;
}

/** The tables of sockets of this machine; empty on other systems. Nothing is sent. */
async function listeningSockets(): Promise<string> {
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
  return own.length > 0 && own.every((listener) => listener.isLoopback);
}

/** The ports that are open to others. */
export function portsForOthers(tables: string): readonly number[] {
  return [...new Set(listeners(tables).flatMap((each) => (each.isLoopback ? [] : [each.port])))];
}
