import { isJsonObject, member, objectMember, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { runProgram, type CommandEnd } from './exec-probe.ts';
import type { NotRun } from './answer.ts';
import type { Target } from './target.ts';

/** The programs that speak Docker's command line, in the order in which they are tried. */
export const RUNTIMES = ['docker', 'podman', 'nerdctl'] as const;
export type Runtime = (typeof RUNTIMES)[number];

/** The names and ids that runtimes give to containers. A name with a dash in front would be a flag. */
export const CONTAINER_NAME = /^[A-Za-z0-9][\w.-]*$/;
/** A runtime that says nothing for so long is down. */
const INSPECT_MILLISECONDS = 10_000;
/** A whole answer of `inspect`, which is longer than what a probe may print. */
const SHAPE = '{{json .}}';

/** Runs a program of this machine, as runProgram does; passed in for tests. */
type Run = (argv: readonly string[], timeoutMilliseconds: number) => Promise<CommandEnd | NotRun>;

/**
 * The target of `--docker NAME`: address, published ports and start come from `inspect`, commands run by `exec`.
 *
 * @param runtime undefined = the first of the RUNTIMES that is there and knows the container
 */
export async function dockerTarget(
  container: string,
  runtime: Runtime | undefined,
  run: Run = runProgram,
): Promise<Target | { readonly problem: string }> {
  const problems: string[] = [];
  for (const program of runtime === undefined ? RUNTIMES : [runtime]) {
    const inspected = await inspect(program, container, run);
    if (typeof inspected !== 'string') return targetOf(program, container, inspected, run);
    problems.push(inspected);
  }
  return { problem: problems.join('; ') };
}

/** What the target needs of an answer of `inspect`, in parts, because the whole is long. */
const PARTS = ['.State', '.NetworkSettings'] as const;

async function inspect(program: Runtime, container: string, run: Run): Promise<string | JsonObject> {
  const found: Record<string, unknown> = {};
  for (const part of PARTS) {
    const format = SHAPE.replace('.', part);
    const end = await run(
      [program, 'inspect', '--type', 'container', '--format', format, container],
      INSPECT_MILLISECONDS,
    );
    if ('notRun' in end) return end.notRun;
    if (end.code === undefined) return `${program} inspect does not answer`;
    if (end.code !== 0) return `${program} inspect ${container}: ${end.output.trim().split('\n').at(-1) ?? ''}`;
    try {
      found[part] = JSON.parse(end.output) as unknown;
    } catch {
      return `${program} inspect ${container}: the answer is not JSON`;
    }
  }
  const state = found['.State'];
  if (isJsonObject(state) && member(state, 'Running') === false)
    return `${container} does not run: it is ${stringMember(state, 'Status') ?? 'stopped'}`;
  return found;
}

function targetOf(program: Runtime, container: string, inspected: JsonObject, run: Run): Target {
  const network = objectMember(inspected, '.NetworkSettings') ?? {};
  const startedAt = Date.parse(stringMember(objectMember(inspected, '.State') ?? {}, 'StartedAt') ?? '');
  return {
    name: `${container} by ${program}`,
    ...(Number.isNaN(startedAt) ? {} : { startedAt }),
    endpoint: (port) => {
      const published = publishedPort(network, port);
      if (published !== undefined) return Promise.resolve(published);
      const host = addressOf(network);
      if (host !== undefined) return Promise.resolve({ host, port });
      return Promise.resolve({
        notRun: `${program} publishes no port ${port} of ${container}: run it with -p ${port}`,
      });
    },
    exec: (_container, command, timeout) => run([program, 'exec', container, ...command], timeout),
    isLoopbackOnly: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  };
}

/** `"8080/tcp": [{ "HostIp": "0.0.0.0", "HostPort": "49153" }]` */
function publishedPort(network: JsonObject, port: number): { host: string; port: number } | undefined {
  const ports = member(objectMember(network, 'Ports') ?? {}, `${port}/tcp`);
  const first: unknown = Array.isArray(ports) ? ports[0] : undefined;
  if (!isJsonObject(first)) return undefined;
  const given = stringMember(first, 'HostIp') ?? '';
  const host = given === '' || given === '0.0.0.0' ? '127.0.0.1' : given === '::' ? '::1' : given;
  const local = Number(stringMember(first, 'HostPort'));
  return Number.isInteger(local) && local > 0 ? { host, port: local } : undefined;
}

/** The address of the container in the first network that has one. */
function addressOf(network: JsonObject): string | undefined {
  const networks = Object.values(objectMember(network, 'Networks') ?? {}).filter(isJsonObject);
  const addresses = [network, ...networks].map((one) => stringMember(one, 'IPAddress') ?? '');
  return addresses.find((address) => address !== '');
}
