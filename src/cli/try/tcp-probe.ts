import { messageOf } from '../../base/text/error-message.ts';
import { failure, success, type Answer } from './answer.ts';
import { dial } from './connection.ts';
import type { Endpoint } from './connection.ts';

/**
 * Runs a TCP probe as the kubelet does: connects, and closes (pkg/probe/tcp/tcp.go, DoTCPProbe).
 *
 * @param shown the address that events name
 * @param timeoutMilliseconds timeoutSeconds of the probe
 */
export async function tcpProbe(real: Endpoint, shown: Endpoint, timeoutMilliseconds: number): Promise<Answer> {
  try {
    const { stream } = await dial(real, shown, AbortSignal.timeout(timeoutMilliseconds));
    stream.destroy();
    return success();
  } catch (error) {
    return failure(messageOf(error));
  }
}
