import { networkInterfaces } from 'node:os';
import { dial, reach, type Connect } from './connection.ts';
import { runProgram, type CommandEnd } from './exec-probe.ts';
import { isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { readRegularFile } from '../../base/files/regular-file.ts';
import { NotRun } from './answer.ts';
import type { HttpProbe, Send } from './http-probe.ts';

/** A running container, in the ways in which `try` can reach it. A question that it cannot ask rejects with NotRun. */
export interface Target {
  /** Follows "asked": `127.0.0.1`, `web by docker`, `Pod shop/web-1`. */
  readonly name: string;
  /** The address in URLs and events, as the kubelet would have the Pod's. */
  readonly host: string;
  /** When the container started, in milliseconds since the epoch, where the runtime tells. */
  readonly startedAt?: number;
  readonly connect: Connect;
  /** Looks whether a port can be asked, outside of a probe's time. Rejects with a GoError for one that refuses. */
  prove?(port: number): Promise<void>;
  /** Sends a request of HTTP in the target's own way. Absent, and undefined, where a connection is opened. */
  proxied?(probe: HttpProbe): Send | undefined;
  /** Runs the command of an exec probe in the container. */
  exec(container: string, command: readonly string[], timeoutMilliseconds: number): Promise<CommandEnd>;
  /** True when the port is open to the container itself only, as far as the target can see. */
  isLoopbackOnly(port: number): Promise<boolean>;
  /** The ports on which the container listens on all addresses. Absent where the target cannot tell. */
  listeningPorts?(): Promise<readonly number[]>;
}

/** A port that is open answers at once on this machine. */
const OPEN_MILLISECONDS = 1000;

/**
 * The target of `--address`: a process or a container with published ports.
 *
 * @param ports the local port of each container port that differs
 * @param execPrefix the command that is put before the command of an exec probe: `docker exec web`. Empty for none.
 */
export function addressTarget(host: string, ports: ReadonlyMap<number, number>, execPrefix: readonly string[]): Target {
  const placeOf = (port: number) => ({ host, port: ports.get(port) ?? port });
  const inside = execPrefix.length === 0 ? undefined : socketsInside(execPrefix);
  return {
    name: host,
    host,
    connect: (port, signal) => dial(placeOf(port), { host, port }, signal),
    exec: async (_container, command, timeout) => {
      if (inside === undefined)
        throw new NotRun("--exec is not given: it names the command that runs the probe's command");
      return await runProgram([...execPrefix, ...command], timeout);
    },
    isLoopbackOnly: async (port) => {
      const place = placeOf(port);
      if (!isThisMachine(host) || (await reach(place, OPEN_MILLISECONDS)) !== 'refuses') return false;
      return isBoundToLoopbackOnly(await socketsOfThisMachine(), place.port);
    },
    ...inside,
  };
}

function isThisMachine(host: string): boolean {
  if (isLoopbackHost(host)) return true;
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === host));
}

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
async function socketsOfThisMachine(): Promise<string> {
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
function isBoundToLoopbackOnly(tables: string, port: number): boolean {
  const own = listeners(tables).filter((listener) => listener.port === port);
  return own.length > 0 && own.every(({ isLoopback }) => isLoopback);
}
