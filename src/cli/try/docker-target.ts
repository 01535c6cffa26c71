import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { cut } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { isBoundToLoopbackOnly, portsForOthers, socketsByCommand } from './address-target.ts';
import { dial } from './connection.ts';
import { runProgram } from './exec-probe.ts';
import { RUNTIMES, type Runtime } from './definition.ts';
import type { Target } from './target.ts';
import type { Endpoint } from './connection.ts';

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
 */
export async function dockerTarget(
  container: string,
  runtime: Runtime | undefined,
  dockerHost?: string,
): Promise<Target | { readonly problem: string }> {
  const problems: string[] = [];
  for (const program of runtime === undefined ? RUNTIMES : [runtime]) {
    const inspected = await inspect(program, container);
    if (typeof inspected !== 'string') return targetOf(program, container, inspected, engineHost(dockerHost));
    problems.push(inspected);
  }
  return { problem: problems.join('; ') };
}

async function inspect(program: Runtime, container: string): Promise<string | JsonObject> {
  const end = await runProgram([program, 'inspect', container], INSPECT_MILLISECONDS, INSPECT_BYTES);
  if ('notRun' in end) return end.notRun;
  const { code, output } = end;
  const what = `${program} inspect ${container}`;
  if (code === undefined) return `${what}: no answer within ${INSPECT_MILLISECONDS / 1000} s`;
  if (code !== 0) return `${what}: ${cut(output.trim().split('\n').at(-1) ?? '', 200)}`;
  const found = firstObject(output);
  const state = found && objectMember(found, 'State');
  if (found === undefined || state === undefined) return `${what}: the answer is no container`;
  if (member(state, 'Running') === false)
    return `the container ${container} does not run: it is ${stringMember(state, 'Status') ?? 'stopped'}`;
  return found;
}

function firstObject(output: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(output.slice(Math.max(0, output.search(/^[[{]/m))));
    const first: unknown = Array.isArray(value) ? value[0] : value;
    return isJsonObject(first) ? first : undefined;
  } catch {
    return undefined;
  }
}

function targetOf(program: Runtime, container: string, inspected: JsonObject, engine: string): Target {
  const network = objectMember(inspected, 'NetworkSettings') ?? {};
  const isHostNetwork = stringMember(objectMember(inspected, 'HostConfig') ?? {}, 'NetworkMode') === 'host';
  const address = addressOf(network);
  // Only Linux reaches the addresses of containers.
  const own = process.platform === 'linux' && engine === LOCAL ? address : undefined;
  const exec = [program, 'exec', container];
  const hasOwn = new Map<number, Promise<boolean>>();
  const answersItself = (host: string, port: number): Promise<boolean> => {
    const known = hasOwn.get(port) ?? answers({ host, port });
    hasOwn.set(port, known);
    return known;
  };
  const started = stringMember(objectMember(inspected, 'State') ?? {}, 'StartedAt');
  const startedAt = started === undefined ? undefined : parseInstant(started);
  return {
    name: `${container} by ${program}`,
    host: address ?? engine,
    ...(startedAt !== undefined && startedAt > 0 && { startedAt }),
    endpoint: async (port) => {
      if (isHostNetwork) return { host: engine, port };
      const published = publishedPort(network, port, engine);
      if (own !== undefined && (published === undefined || (await answersItself(own, port))))
        return { host: own, port };
      return published ?? { notRun: `${program} publishes no port ${port} of ${container}: run it with -p ${port}` };
    },
    exec: (_container, command, timeout) => runProgram([...exec, ...command], timeout),
    isLoopbackOnly: async (port) => isBoundToLoopbackOnly(await socketsByCommand(exec), port),
    listeningPorts: async () => portsForOthers(await socketsByCommand(exec)),
    close: () => Promise.resolve(),
  };
}

/**
 * True when the container's own address accepts or refuses. The engine's proxy accepts connections to published ports
 * also for an application that does not listen.
 */
async function answers(place: Endpoint): Promise<boolean> {
  return await dial(place, place, AbortSignal.timeout(OWN_MILLISECONDS)).then(
    ({ stream }) => {
      stream.destroy();
      return true;
    },
    (error: unknown) => messageOf(error).endsWith('connection refused'),
  );
}

/** `"8080/tcp": [{ "HostIp": "0.0.0.0", "HostPort": "49153" }]` */
function publishedPort(network: JsonObject, port: number, engine: string): Endpoint | undefined {
  const bindings = member(objectMember(network, 'Ports') ?? {}, `${port}/tcp`);
  const places = (Array.isArray(bindings) ? (bindings as readonly unknown[]) : [])
    .filter(isJsonObject)
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
function addressOf(network: JsonObject): string | undefined {
  const networks = Object.values(objectMember(network, 'Networks') ?? {}).filter(isJsonObject);
  const addresses = [network, ...networks].map((one) => stringMember(one, 'IPAddress') ?? '');
  return addresses.find((address) => address !== '' && !isLoopbackHost(address));
}

/** The host of a remote engine, which publishes the ports: `tcp://10.0.0.5:2376`. */
function engineHost(dockerHost = ''): string {
  return /^(?:tcp|ssh|https?):\/\/(?:[^@/]*@)?([\w.-]+)/.exec(dockerHost)?.[1] ?? LOCAL;
}
