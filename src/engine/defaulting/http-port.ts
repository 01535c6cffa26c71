import { protocolOfPort, type PortHint, type PortHints } from '../workload/port-protocol.ts';
import { describePorts, isTcp, MOST_LISTED, type ContainerPort } from '../workload/ports.ts';
import type { HandlerProblem } from './reason.ts';

/**
 * The port for an HTTP path without a port, among TCP ports of no other protocol: the port named http, then https, then
 * the first named http-*; else the only port. Any other choice would be a guess.
 */
export function inferHttpPort(declared: readonly ContainerPort[], hints: PortHints): ContainerPort | HandlerProblem {
  const ports = declared.filter(isTcp);
  if (ports.length === 0) return { code: 'no-port', detail: 'declares no TCP port; declare one named "http"' };
  const candidates = ports.filter((port) => passedOver(port, hints(port)) === undefined);
  const [only] = candidates;
  if (only === undefined) {
    const reasons = ports.slice(0, MOST_LISTED).map((port) => `${describe(port)} ${passedOver(port, hints(port))}`);
    const more = ports.length > MOST_LISTED ? `; and ${ports.length - MOST_LISTED} more` : '';
    return { code: 'no-http-port', detail: `no port to ask by HTTP: ${reasons.join('; ')}${more}; ${REMEDY}` };
  }
  const named =
    candidates.find(({ name }) => name === 'http') ??
    candidates.find(({ name }) => name === 'https') ??
    candidates.find(({ name }) => name?.startsWith('http-'));
  if (named !== undefined) return named;
  if (candidates.every(({ number }) => number === only.number)) return only;
  const list = describePorts(candidates).join(', ');
  return {
    code: 'no-port',
    detail: `cannot tell which of its ports ${list} to ask; name one "http" or set the policy's port`,
  };
}

const REMEDY = 'if one of them answers HTTP, name the port in a policy with containers or workloadSelector';

/** Why a policy that is not aimed at the container gets no HTTP probe on the port that it names. */
export function otherProtocol(port: ContainerPort, hints: readonly PortHint[]): HandlerProblem | undefined {
  if (protocolOfPort(port, hints).speaks !== 'other') return undefined;
  return {
    code: 'no-http-port',
    detail: `the policy's port ${describe(port)} ${passedOver(port, hints)}; ${REMEDY}`,
  };
}

function describe(port: ContainerPort): string {
  return describePorts([port]).join('');
}

/** Why no HTTP path is asked on a port, as the end of a sentence. */
function passedOver(port: ContainerPort, hints: readonly PortHint[]): string | undefined {
  const { protocol, because } = protocolOfPort(port, hints);
  return protocol === undefined ? undefined : `is for ${protocol} (${because})`;
}
