import { objectsAt } from '../../base/json/field-path.ts';
import { member, stringMember } from '../../base/json/json-value.ts';
import { commandActs } from '../../engine/probe/exec-effects.ts';
import { execArgv, isLoopbackHost } from '../../engine/probe/handler-values.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { failure, NotRun, SUCCESS, type Answer } from './answer.ts';
import { GoError, type Connect } from './connection.ts';
import { execVerdict, expandedCommand } from './exec-probe.ts';
import { grpcProbe, unconnected } from './grpc-probe.ts';
import { httpProbe, type HttpProbe } from './http-probe.ts';
import { sendOver } from './http-request.ts';
import { portOf, type PlannedProbe } from './planned-probes.ts';
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
export async function askProbe(planned: PlannedProbe, asking: Asking): Promise<Answer | NotRun> {
  try {
    return await answerOf(planned, asking);
  } catch (error) {
    if (error instanceof NotRun) return error;
    throw error;
  }
}

async function answerOf(planned: PlannedProbe, asking: Asking): Promise<Answer> {
  const { handler, handlerKind, timing } = planned;
  const { target, monotonic } = asking;
  const timeout = timing.timeoutSeconds * 1000;
  const timed = async (run: () => Promise<Answer>): Promise<Answer> => {
    const before = monotonic();
    return { ...(await run()), milliseconds: monotonic() - before };
  };
  if (!asking.allowsSideEffects) refuseSideEffects(planned);
  if (handlerKind === 'exec') return await timed(() => askExec(planned, target));
  const port = portOf(planned);
  if (typeof port !== 'number') return { result: 'error', text: port.text };
  const host = stringMember(handler, 'host') ?? '';
  const isSame = host === target.host || (isLoopbackHost(host) && isLoopbackHost(target.host));
  if (host !== '' && !isSame)
    throw new NotRun(`the probe asks the host ${host}, and try asks nobody but ${target.name}`);
  const shown = { host: target.host, port };
  const request = httpProbeOf(planned, target.host, port);
  const proxied = target.proxied?.(request);
  if (handlerKind === 'httpGet' && proxied !== undefined)
    return await timed(() => httpProbe(request, timeout, proxied));
  try {
    await target.prove?.(port);
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    if (handlerKind === 'httpGet') return await httpProbe(request, timeout, () => Promise.reject(error));
    // The kubelet dials again until the time of a gRPC probe is over.
    return handlerKind === 'grpc' ? unconnected(shown, timeout) : failure(error.message);
  }
  return await timed(() => {
    if (handlerKind === 'httpGet') return httpProbe(request, timeout, sendOver(target.connect));
    if (handlerKind === 'tcpSocket') return tcpProbe(target.connect, port, timeout);
    return grpcProbe(target.connect, shown, stringMember(handler, 'service') ?? '', timeout);
  });
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
function httpProbeOf({ handler }: PlannedProbe, host: string, port: number): HttpProbe {
  return {
    isHttps: member(handler, 'scheme') === 'HTTPS',
    host,
    port,
    path: stringMember(handler, 'path') ?? '/',
    headers: objectsAt(handler, 'httpHeaders').map((header) => [
      stringMember(header, 'name') ?? '',
      stringMember(header, 'value') ?? '',
    ]),
  };
}

/** A path that names an action, such as `/actuator/restart`, is found by the rule for `curl` in a command. */
function refuseSideEffects({ handler, handlerKind, spec }: PlannedProbe): void {
  const path = stringMember(handler, 'path') ?? '/';
  const url = `http://localhost${path.startsWith('/') ? '' : '/'}${path}`;
  const effect =
    handlerKind === 'exec'
      ? commandActs(commandOf(handler, spec))
      : handlerKind === 'httpGet'
        ? commandActs(['curl', url])?.replace(/^curl /, '')
        : undefined;
  const what = handlerKind === 'exec' ? 'command' : 'path';
  if (effect !== undefined)
    throw new NotRun(`the ${what} may have side effects (${effect}); --allow-side-effects runs it`);
}

function commandOf(handler: PlannedProbe['handler'], spec: PlannedProbe['spec']): readonly string[] {
  return expandedCommand(execArgv(handler) ?? [], spec);
}

async function askExec({ handler, container, timing, spec }: PlannedProbe, target: Target): Promise<Answer> {
  const command = commandOf(handler, spec);
  const end = await target.exec(container, command, timing.timeoutSeconds * 1000);
  return execVerdict(command, end, timing.timeoutSeconds);
}
