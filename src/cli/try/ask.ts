import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import { commandActs } from '../../engine/probe/exec-effects.ts';
import { requestedPath } from '../../engine/probe/requested-path.ts';
import { execVerdict } from './exec-probe.ts';
import { grpcProbe } from './grpc-probe.ts';
import { httpProbe, type HttpProbe } from './http-probe.ts';
import { portOf, type PlannedProbe } from './planned-probes.ts';
import { tcpProbe } from './tcp-probe.ts';
import { isLoopback, type Target } from './target.ts';
import type { Answer, NotRun } from './answer.ts';

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
  const port = portOf(planned);
  if (typeof port !== 'number') return { result: 'error', text: port.text };
  const host = stringMember(planned.handler, 'host') ?? '';
  if (host !== '' && !isSameHost(host, target.name))
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
  if (!('host' in endpoint)) return endpoint;
  if (planned.handlerKind === 'tcpSocket') return await tcpProbe(endpoint.host, endpoint.port, timeoutMilliseconds);
  const service = stringMember(planned.handler, 'service') ?? '';
  return await grpcProbe(endpoint.host, endpoint.port, service, timeoutMilliseconds);
}

/** Asks over HTTP, in the target's own way where it has one. */
export async function askHttp(target: Target, probe: HttpProbe, timeoutMilliseconds: number): Promise<Answer | NotRun> {
  if (target.http !== undefined) return await target.http(probe, timeoutMilliseconds);
  const endpoint = await target.endpoint(probe.port);
  return 'host' in endpoint ? await httpProbe({ ...probe, ...endpoint }, timeoutMilliseconds) : endpoint;
}

/** The request of an httpGet probe. The port is the container's. */
export function httpRequestOf({ handler }: PlannedProbe, port: number): HttpProbe {
  const headers = member(handler, 'httpHeaders');
  return {
    isHttps: member(handler, 'scheme') === 'HTTPS',
    host: '',
    port,
    path: requestedPath(stringMember(handler, 'path') ?? '/'),
    headers: (Array.isArray(headers) ? (headers as readonly unknown[]) : [])
      .filter(isJsonObject)
      .map((header) => [stringMember(header, 'name') ?? '', stringMember(header, 'value') ?? ''] as const),
  };
}

async function askExec(
  { handler, container, timing }: PlannedProbe,
  target: Target,
  allowsSideEffects: boolean,
): Promise<Answer | NotRun> {
  const words = member(handler, 'command');
  const command = Array.isArray(words) ? words.map(String) : [];
  const effect = allowsSideEffects ? undefined : commandActs(command);
  if (effect !== undefined)
    return { notRun: `the command may have side effects (${effect}); --allow-side-effects runs it` };
  const end = await target.exec(container, command, timing.timeoutSeconds * 1000);
  return 'notRun' in end ? end : execVerdict(command, end, timing.timeoutSeconds);
}

function isSameHost(host: string, name: string): boolean {
  return host === name || (isLoopback(host) && isLoopback(name));
}
