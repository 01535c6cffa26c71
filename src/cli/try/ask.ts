import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import { execArgv, isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { commandActs } from '../../engine/probe/exec-effects.ts';
import { GoError } from './connection.ts';
import { execVerdict, expandedCommand } from './exec-probe.ts';
import { grpcProbe, unconnected } from './grpc-probe.ts';
import { httpProbe, type HttpProbe } from './http-probe.ts';
import { portOf, type PlannedProbe } from './planned-probes.ts';
import { tcpProbe } from './tcp-probe.ts';
import type { Target } from './target.ts';
import type { Endpoint } from './connection.ts';
import { hostPort, type Answer, type NotRun } from './answer.ts';

/**
 * Runs one probe once, by the kubelet's rules.
 *
 * @param allowsSideEffects whether a command that does more than ask may run
 */
export async function askProbe(
  planned: PlannedProbe,
  target: Target,
  allowsSideEffects: boolean,
): Promise<Answer | NotRun> {
  const timeout = planned.timing.timeoutSeconds * 1000;
  if (planned.handlerKind === 'exec') return await askExec(planned, target, allowsSideEffects);
  const effect = allowsSideEffects ? undefined : actionOfPath(planned);
  if (effect !== undefined) return { notRun: sideEffects('path', effect) };
  const port = portOf(planned);
  if (typeof port !== 'number') return { result: 'error', text: port.text };
  const host = stringMember(planned.handler, 'host') ?? '';
  if (host !== '' && !isSameHost(host, target.host))
    return { notRun: `the probe asks the host ${host}, and try asks nobody but ${target.name}` };
  return await askPort(planned, target, port, timeout);
}

/** Asks a port in the way of the probe. */
async function askPort(
  planned: PlannedProbe,
  target: Target,
  port: number,
  timeoutMilliseconds: number,
): Promise<Answer | NotRun> {
  if (planned.handlerKind === 'httpGet')
    return await askHttp(target, httpRequestOf(planned, port), timeoutMilliseconds);
  const endpoint = await target.endpoint(port);
  const shown = { host: target.host, port };
  // The kubelet dials again until the time of a gRPC probe is over.
  if ('text' in endpoint && planned.handlerKind === 'grpc')
    return unconnected(hostPort(shown.host, port), timeoutMilliseconds);
  if (!('host' in endpoint)) return endpoint;
  if (planned.handlerKind === 'tcpSocket') return await timed(() => tcpProbe(endpoint, shown, timeoutMilliseconds));
  const service = stringMember(planned.handler, 'service') ?? '';
  return await timed(() => grpcProbe(endpoint, shown, service, timeoutMilliseconds));
}

/** Asks over HTTP, in the target's own way where it has one. */
export async function askHttp(target: Target, probe: HttpProbe, timeoutMilliseconds: number): Promise<Answer | NotRun> {
  if (target.http !== undefined) return await target.http(probe, timeoutMilliseconds);
  return await askHttpDirectly(target, probe, timeoutMilliseconds);
}

/** Asks over HTTP at the endpoints of the target. */
export async function askHttpDirectly(
  target: Pick<Target, 'host' | 'endpoint'>,
  probe: HttpProbe,
  timeoutMilliseconds: number,
): Promise<Answer | NotRun> {
  const first = await target.endpoint(probe.port);
  if (!('host' in first)) return first;
  const placeOf = async (port: number): Promise<Endpoint> => {
    const place = port === probe.port ? first : await target.endpoint(port);
    if ('host' in place) return place;
    throw new GoError('notRun' in place ? place.notRun : place.text);
  };
  return await timed(() => httpProbe({ ...probe, host: target.host }, timeoutMilliseconds, placeOf));
}

async function timed(run: () => Promise<Answer>): Promise<Answer> {
  const before = performance.now();
  return { ...(await run()), milliseconds: performance.now() - before };
}

/** The request of an httpGet probe. The port is the container's. */
export function httpRequestOf({ handler }: PlannedProbe, port: number): HttpProbe {
  const headers = member(handler, 'httpHeaders');
  return {
    isHttps: member(handler, 'scheme') === 'HTTPS',
    host: '',
    port,
    path: stringMember(handler, 'path') ?? '/',
    headers: (Array.isArray(headers) ? (headers as readonly unknown[]) : [])
      .filter(isJsonObject)
      .map((header) => [stringMember(header, 'name') ?? '', stringMember(header, 'value') ?? ''] as const),
  };
}

function sideEffects(what: string, effect: string): string {
  return `the ${what} may have side effects (${effect}); --allow-side-effects runs it`;
}

/** The word of a path that names an action, such as `/actuator/restart`: the same rule as for `curl` in a command. */
function actionOfPath({ handler, handlerKind }: PlannedProbe): string | undefined {
  if (handlerKind !== 'httpGet') return undefined;
  const path = stringMember(handler, 'path') ?? '/';
  const acts = commandActs(['curl', `http://localhost${path.startsWith('/') ? '' : '/'}${path}`]);
  return acts?.replace(/^curl /, '');
}

async function askExec(
  { handler, container, timing, spec }: PlannedProbe,
  target: Target,
  allowsSideEffects: boolean,
): Promise<Answer | NotRun> {
  const command = expandedCommand(execArgv(handler) ?? [], spec);
  const effect = allowsSideEffects ? undefined : commandActs(command);
  if (effect !== undefined) return { notRun: sideEffects('command', effect) };
  const end = await target.exec(container, command, timing.timeoutSeconds * 1000);
  return 'notRun' in end ? end : execVerdict(command, end, timing.timeoutSeconds);
}

function isSameHost(host: string, name: string): boolean {
  return host === name || (isLoopbackHost(host) && isLoopbackHost(name));
}
