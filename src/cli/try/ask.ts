import { sideEffectOf } from '../../engine/command/changes.ts';
import { ExecCommand } from '../../engine/command/words.ts';
import { actionOfUrl } from '../../engine/command/questions.ts';
import { execArgv, isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { failure, NotRun, SUCCESS, type Answer } from './answer.ts';
import type { Connect, GoError } from './connection.ts';
import { execVerdict, expandedCommand } from './exec-probe.ts';
import { grpcProbe, unconnected } from './grpc-probe.ts';
import { httpProbe, type HttpProbe } from './http-probe.ts';
import { sendOver } from './http-request.ts';
import { portOf, type ProbeToTry } from './planned-probes.ts';
import type { HttpHandler } from '../../engine/workload/pod.ts';
import type { Target } from './target.ts';

/** Who is asked, and by which clock. */
export interface Asking {
  readonly target: Target;
  /** A clock that never goes back, in milliseconds. */
  readonly monotonic: () => number;
  /** Whether a command or a path that does more than ask may run. */
  readonly allowsSideEffects: boolean;
}

/** Runs one probe once, by the kubelet's rules. Resolves with NotRun for a probe that cannot be asked. */
export async function askProbe(
  planned: ProbeToTry,
  { target, monotonic, allowsSideEffects }: Asking,
): Promise<Answer | NotRun> {
  try {
    if (!allowsSideEffects) refuseSideEffects(planned);
    const run = await prepared(planned, target);
    const before = monotonic();
    return { ...(await run()), milliseconds: monotonic() - before };
  } catch (error) {
    if (error instanceof NotRun) return error;
    throw error;
  }
}

/** What runs a probe, after all that takes none of the probe's time. */
async function prepared(planned: ProbeToTry, target: Target): Promise<() => Promise<Answer>> {
  const { handler, container, timing } = planned;
  const timeout = timing.timeoutSeconds * 1000;
  if (handler.kind === 'exec') {
    const command = commandOf(planned);
    return async () => execVerdict(command, await target.exec(container.name, command, timeout), timing.timeoutSeconds);
  }
  const port = portOf(planned);
  if (typeof port !== 'number') return () => Promise.resolve({ result: 'error', text: port.text });
  const { host = '' } = handler.kind === 'grpc' ? {} : handler;
  const isSame = host === target.host || (isLoopbackHost(host) && isLoopbackHost(target.host));
  if (host !== '' && !isSame)
    throw new NotRun(`the probe asks the host ${host}, and try asks nobody but ${target.name}`);
  if (handler.kind === 'httpGet') {
    const request = httpProbeOf(handler, target.host, port);
    const send = target.proxied?.(request) ?? sendOver(connectOf(target, await target.prove?.(port)));
    return () => httpProbe(request, timeout, send);
  }
  const shown = { host: target.host, port };
  const refusal = await target.prove?.(port);
  const connect = connectOf(target, refusal);
  if (handler.kind === 'tcpSocket') return () => tcpProbe(connect, port, timeout);
  // The kubelet dials again until the time is over. Nobody has to wait for it here.
  if (refusal !== undefined) return () => Promise.resolve(unconnected(shown, timeout));
  return () => grpcProbe(connect, shown, handler.service ?? '', timeout);
}

function connectOf({ connect }: Target, refusal: GoError | undefined): Connect {
  return refusal === undefined ? connect : () => Promise.reject(refusal);
}

/**
 * Runs a TCP probe as the kubelet does: connects, and closes (pkg/probe/tcp/tcp.go, DoTCPProbe). Rejects with NotRun.
 *
 * @param timeoutMilliseconds timeoutSeconds of the probe
 */
export async function tcpProbe(connect: Connect, port: number, timeoutMilliseconds: number): Promise<Answer> {
  try {
    const { stream } = await connect(port, AbortSignal.timeout(timeoutMilliseconds));
    stream.destroy();
    return SUCCESS;
  } catch (error) {
    if (error instanceof NotRun) throw error;
    return failure(messageOf(error));
  }
}

/** The request of an httpGet probe. The port is the container's. */
function httpProbeOf({ scheme, path = '/', headers }: HttpHandler, host: string, port: number): HttpProbe {
  return { isHttps: scheme === 'HTTPS', host, port, path, headers: headers.map(({ name, value }) => [name, value]) };
}

function refuseSideEffects(planned: ProbeToTry): void {
  const { handler } = planned;
  if (handler.kind !== 'exec' && handler.kind !== 'httpGet') return;
  const isCommand = handler.kind === 'exec';
  const effect = isCommand
    ? sideEffectOf(new ExecCommand(commandOf(planned)))
    : actionOfUrl(`http://localhost/${handler.path ?? '/'}`);
  if (effect === undefined) return;
  throw new NotRun(
    `the ${isCommand ? 'command' : 'path'} may have side effects (${effect}); --allow-side-effects runs it`,
  );
}

function commandOf({ handler, container }: ProbeToTry): readonly string[] {
  return expandedCommand(execArgv(handler.spec) ?? [], container);
}
