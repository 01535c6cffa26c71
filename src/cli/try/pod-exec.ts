import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { MOST_OUTPUT_BYTES, type CommandEnd } from './exec-probe.ts';
import { openChannels, podPath, type PodName } from './pod-channel.ts';
import type { ClusterAccess } from '../../cluster/client/cluster-access.ts';

const STATUS = 3;

/**
 * Runs a command in a container of a Pod by the exec subresource.
 *
 * @throws ApiError when the API server refuses
 */
export async function podExec(
  access: ClusterAccess,
  pod: PodName,
  container: string,
  command: readonly string[],
  timeoutMilliseconds: number,
): Promise<CommandEnd> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let code: number | undefined;
  let message = '';
  const ended = Promise.withResolvers<undefined>();
  const parameters = [
    ['container', container],
    ['stdout', 'true'],
    ['stderr', 'true'],
    ...command.map((word) => ['command', word] as const),
  ] as const;
  const timer = setTimeout(() => {
    ended.resolve(undefined);
  }, timeoutMilliseconds);
  try {
    const channels = await openChannels(access, podPath(pod, 'exec', parameters), {
      message: (channel, data) => {
        if (channel === STATUS) ({ code, message } = exitOf(data.toString()));
        else if (bytes < MOST_OUTPUT_BYTES) chunks.push(data.subarray(0, MOST_OUTPUT_BYTES - bytes));
        bytes += data.length;
      },
      closed: () => {
        ended.resolve(undefined);
      },
    });
    await ended.promise;
    channels.close();
  } finally {
    clearTimeout(timer);
  }
  return { code, output: Buffer.concat(chunks).toString() + message };
}

/** The exit code in a Status of the exec subresource (kubelet/pkg/cri/streaming/remotecommand/exec.go). */
function exitOf(text: string): { readonly code: number; readonly message: string } {
  const status = parsed(text);
  if (stringMember(status, 'status') === 'Success') return { code: 0, message: '' };
  const causes = member(objectMember(status, 'details') ?? {}, 'causes');
  const cause = (Array.isArray(causes) ? (causes as readonly unknown[]) : [])
    .filter(isJsonObject)
    .find((one) => stringMember(one, 'reason') === 'ExitCode');
  if (cause !== undefined) return { code: Number(stringMember(cause, 'message')), message: '' };
  // The runtime could not start the command: its words are in the message.
  return { code: 126, message: stringMember(status, 'message') ?? '' };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
