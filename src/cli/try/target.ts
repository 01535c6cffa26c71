import { networkInterfaces } from 'node:os';
import { objectsAt, textAt, valueAt } from '../../base/json/field-path.ts';
import {
  isJsonObject,
  jsonOf,
  member,
  objectMember,
  stringMember,
  type JsonObject,
} from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { dial, reach, type Connect, type Endpoint } from './connection.ts';
import { RUNTIMES, type Runtime } from './definition.ts';
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
  /** The container's present run. Absent where nobody tells. */
  runOf?(container: string): Promise<ContainerRun>;
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

/** A run of a container, as far as its runtime tells. */
export interface ContainerRun {
  /** In milliseconds since the epoch. */
  readonly startedAt?: number;
  /** The readiness probe of the container has passed already. */
  readonly isReady?: true;
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
function socketsInside(prefix: readonly string[]): Required<Pick<Target, 'isLoopbackOnly' | 'listeningPorts'>> {
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

/** A runtime that says nothing for so long is down. */
const INSPECT_MILLISECONDS = 10_000;
const INSPECT_BYTES = 4 << 20;
/** How long a container's own address may take. Some engines hide the addresses of containers in a virtual machine. */
const OWN_MILLISECONDS = 300;
const LOCAL = '127.0.0.1';

/**
 * The target of `--docker NAME`: address, published ports and start come from `inspect`, commands run by `exec`.
 *
 * @param runtime undefined = the first of the RUNTIMES that is there and knows the container
 * @throws Error when no runtime has such a container that runs
 */
export async function dockerTarget(
  container: string,
  runtime: Runtime | undefined,
  dockerHost?: string,
): Promise<Target> {
  const problems: string[] = [];
  for (const program of runtime === undefined ? RUNTIMES : [runtime])
    try {
      return targetOf(program, container, await inspect(program, container), engineHost(dockerHost));
    } catch (error) {
      problems.push(messageOf(error));
    }
  throw new Error(problems.join('; '));
}

async function inspect(program: Runtime, container: string): Promise<JsonObject> {
  const { code, output } = await runProgram([program, 'inspect', container], INSPECT_MILLISECONDS, INSPECT_BYTES);
  const what = `${program} inspect ${container}`;
  if (code === undefined) throw new Error(`${what}: no answer within ${INSPECT_MILLISECONDS / 1000} s`);
  if (code !== 0) throw new Error(`${what}: ${cut(output.trim().split('\n').at(-1) ?? '', 200)}`);
  const inspected = jsonOf(output.slice(Math.max(0, output.search(/^[[{]/m))));
  const first: unknown = Array.isArray(inspected) ? inspected[0] : inspected;
  const found = isJsonObject(first) ? first : undefined;
  const state = found && objectMember(found, 'State');
  if (found === undefined || state === undefined) throw new Error(`${what}: the answer is no container`);
  if (member(state, 'Running') !== false) return found;
  throw new Error(`the container ${container} does not run: it is ${stringMember(state, 'Status') ?? 'stopped'}`);
}

function targetOf(program: Runtime, container: string, inspected: JsonObject, engine: string): Target {
  const address = addressOf(inspected);
  const host = address ?? engine;
  // Only Linux reaches the addresses of containers.
  const own = process.platform === 'linux' && engine === LOCAL ? address : undefined;
  const exec = [program, 'exec', container];
  const places = new Map<number, Promise<Endpoint>>();
  const findPlace = async (port: number): Promise<Endpoint> => {
    if (textAt(inspected, 'HostConfig', 'NetworkMode') === 'host') return { host: engine, port };
    const published = publishedPort(inspected, port, engine);
    // The engine's proxy accepts connections to published ports also for an application that does not listen.
    if (
      own !== undefined &&
      (published === undefined || (await reach({ host: own, port }, OWN_MILLISECONDS)) !== 'neither')
    )
      return { host: own, port };
    if (published !== undefined) return published;
    throw new NotRun(`${program} publishes no port ${port} of ${container}: run it with -p ${port}`);
  };
  const placeOf = (port: number): Promise<Endpoint> => {
    const place = places.get(port) ?? findPlace(port);
    places.set(port, place);
    return place;
  };
  return {
    name: `${container} by ${program}`,
    host,
    // The container may have been restarted since.
    runOf: async () => {
      const startedAt = parseInstant(textAt(await inspect(program, container), 'State', 'StartedAt') ?? '');
      return startedAt !== undefined && startedAt > 0 ? { startedAt } : {};
    },
    prove: async (port) => {
      await placeOf(port);
    },
    connect: async (port, signal) => await dial(await placeOf(port), { host, port }, signal),
    exec: (_container, command, timeout) => runProgram([...exec, ...command], timeout),
    ...socketsInside(exec),
  };
}

/** `"8080/tcp": [{ "HostIp": "0.0.0.0", "HostPort": "49153" }]` */
function publishedPort(inspected: JsonObject, port: number, engine: string): Endpoint | undefined {
  const places = objectsAt(inspected, 'NetworkSettings', 'Ports', `${port}/tcp`)
    .map((binding) => {
      const given = stringMember(binding, 'HostIp') ?? '';
      const isAny = given === '' || given === '0.0.0.0' || given === '::' || engine !== LOCAL;
      return { host: isAny ? engine : given, port: Number(member(binding, 'HostPort')) };
    })
    .filter((place) => place.port > 0);
  // A port is often published for IPv4 and IPv6.
  return places.find(({ host }) => !host.includes(':')) ?? places[0];
}

/** The address of the container in the first network that has one. */
function addressOf({ NetworkSettings: network }: JsonObject): string | undefined {
  const networks = Object.values(valueAt(network, ['Networks']) ?? {}) as readonly unknown[];
  const addresses = [network, ...networks].map((one) => textAt(one, 'IPAddress') ?? '');
  return addresses.find((address) => address !== '' && !isLoopbackHost(address));
}

/** The host of a remote engine, which publishes the ports: `tcp://10.0.0.5:2376`. */
function engineHost(dockerHost = ''): string {
  return /^(?:tcp|ssh|https?):\/\/(?:[^@/]*@)?([\w.-]+)/.exec(dockerHost)?.[1] ?? LOCAL;
}
