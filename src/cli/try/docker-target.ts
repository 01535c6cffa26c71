import { objectsAt, textAt, valueAt } from '../../base/json/field-path.ts';
import { isJsonObject, jsonOf, type JsonObject } from '../../base/json/json-value.ts';
import { cut } from '../../base/text/cut.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { NotRun } from './answer.ts';
import { dial, reach, type Endpoint } from './connection.ts';
import { RUNTIMES, type Runtime } from './definition.ts';
import { runProgram } from './exec-probe.ts';
import { socketsInside } from './open-sockets.ts';
import type { Target } from './target.ts';

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
  const found: unknown = Array.isArray(inspected) ? inspected[0] : inspected;
  if (!isJsonObject(found) || !isJsonObject(found['State'])) throw new Error(`${what}: the answer is no container`);
  if (valueAt(found, ['State', 'Running']) !== false) return found;
  throw new Error(`the container ${container} does not run: it is ${textAt(found, 'State', 'Status') ?? 'stopped'}`);
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
    prove: (port) => placeOf(port).then(() => undefined),
    connect: async (port, signal) => await dial(await placeOf(port), { host, port }, signal),
    exec: (_container, command, timeout) => runProgram([...exec, ...command], timeout),
    ...socketsInside(exec),
  };
}

/** `"8080/tcp": [{ "HostIp": "0.0.0.0", "HostPort": "49153" }]` */
function publishedPort(inspected: JsonObject, port: number, engine: string): Endpoint | undefined {
  const places = objectsAt(inspected, 'NetworkSettings', 'Ports', `${port}/tcp`)
    .map((binding) => {
      const given = textAt(binding, 'HostIp') ?? '';
      const isAny = given === '' || given === '0.0.0.0' || given === '::' || engine !== LOCAL;
      return { host: isAny ? engine : given, port: Number(valueAt(binding, ['HostPort'])) };
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
