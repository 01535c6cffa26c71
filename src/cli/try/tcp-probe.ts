import { connect } from 'node:net';
import { codeOf, failure, hostPort, socketErrorText, success, type Answer } from './answer.ts';

/**
 * Runs a TCP probe as the kubelet does: connects, and closes (pkg/probe/tcp/tcp.go, DoTCPProbe).
 *
 * @param timeoutMilliseconds timeoutSeconds of the probe
 */
export function tcpProbe(host: string, port: number, timeoutMilliseconds: number): Promise<Answer> {
  return new Promise((resolve) => {
    const address = hostPort(host, port);
    const socket = connect({ host, port, signal: AbortSignal.timeout(timeoutMilliseconds) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(success());
    });
    socket.once('error', (error) => {
      const code = codeOf(error);
      if (code === 'ABORT_ERR') return resolve(failure(`dial tcp ${address}: i/o timeout`));
      if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
        return resolve(failure(`dial tcp: lookup ${host}: no such host`));
      resolve(failure(`dial tcp ${address}: connect: ${socketErrorText(code) ?? error.message}`));
    });
  });
}
