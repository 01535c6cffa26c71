import { networkInterfaces } from 'node:os';
import { readRegularFile } from '../../base/files/regular-file.ts';
import { runProgram } from './exec-probe.ts';
import { isLoopback, type Target } from './target.ts';

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
    endpoint: (port) => Promise.resolve({ host, port: ports.get(port) ?? port }),
    exec: (_container, command, timeout) =>
      execPrefix.length === 0
        ? Promise.resolve({ notRun: "--exec is not given: it names the command that runs the probe's command" })
        : runProgram([...execPrefix, ...command], timeout),
    // A published port is open on loopback, although the container listens everywhere.
    isLoopbackOnly: async (port) =>
      !ports.has(port) && isThisMachine(host) && isBoundToLoopbackOnly(await listeningSockets(), port),
    close: () => Promise.resolve(),
  };
}

function isThisMachine(host: string): boolean {
  if (isLoopback(host)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}

/** The tables of sockets that Linux shows; empty on other systems. Nothing is sent. */
async function listeningSockets(): Promise<string> {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readRegularFile(file).then(String, () => ''));
  return (await Promise.all(tables)).join('\n');
}

/** The state of a socket that listens (include/net/tcp_states.h), and addresses as the kernel writes them. */
const LISTEN = '0A';
const LOOPBACK = /^(?:[0-9A-F]{6}7F|0{24}01000000|0{16}FFFF0000[0-9A-F]{6}7F)$/;

/** True when sockets listen on the port, and all of them on loopback addresses (proc(5), /proc/net/tcp). */
export function isBoundToLoopbackOnly(tables: string, port: number): boolean {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  const addresses = tables.split('\n').flatMap((line) => {
    const [, local = '', , state] = line.trim().split(/\s+/);
    const [address = '', of] = local.split(':');
    return state === LISTEN && of === wanted ? [address] : [];
  });
  return addresses.length > 0 && addresses.every((address) => LOOPBACK.test(address));
}
