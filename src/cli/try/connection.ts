import { connect } from 'node:net';
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { codeOf, hostPort, socketErrorText } from './answer.ts';

/** Where a port of the container is reached. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A failure in the words of Go. */
export class GoError extends Error {}

/** An open connection, with its ends as Go prints them: `10.0.0.1:8080`. */
export interface Connection {
  readonly stream: Duplex;
  readonly local: string;
  readonly remote: string;
}

/** Opens a connection to a port of the container, which ends with the signal. Rejects with a GoError, or NotRun. */
export type Connect = (port: number, signal: AbortSignal) => Promise<Connection>;

/** Waits for an event. Rejects when the emitter fails or closes, and with the signal. Later errors harm nobody. */
export function until(emitter: EventEmitter, event: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    emitter.once(event, () => resolve());
    emitter.on('error', reject);
    emitter.once('close', () => reject(new Error('closed')));
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });
}

/**
 * Opens a TCP connection. Rejects with a GoError in the words of Go's net package.
 *
 * @param real where the connection goes
 * @param shown the address that messages name: inside of the container, the port is often another one
 */
export async function dial(real: Endpoint, shown: Endpoint, signal: AbortSignal): Promise<Connection> {
  const remote = hostPort(shown.host, shown.port);
  const stream = connect({ host: real.host, port: real.port, noDelay: true, signal });
  try {
    await until(stream, 'connect', signal);
  } catch (error) {
    throw new GoError(signal.aborted ? `dial tcp ${remote}: i/o timeout` : dialText(error, shown, remote));
  }
  return { stream, local: hostPort(stream.localAddress ?? '', stream.localPort ?? 0), remote };
}

function dialText(error: unknown, { host }: Endpoint, remote: string): string {
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  return `dial tcp ${remote}: connect: ${socketErrorText(error)}`;
}

/** An error of reading in the words of Go: `read tcp LOCAL->REMOTE: read: connection reset by peer`. */
export function readText(error: unknown, { local, remote }: Connection): string {
  const code = codeOf(error);
  const verb = code === 'EPIPE' ? 'write' : 'read';
  return `${verb} tcp ${local}->${remote}: ${verb}: ${socketErrorText(error)}`;
}

/** Whether a port accepts a connection, refuses it, or does neither within the time. */
export async function reach(place: Endpoint, milliseconds: number): Promise<'accepts' | 'refuses' | 'neither'> {
  try {
    const { stream } = await dial(place, place, AbortSignal.timeout(milliseconds));
    stream.destroy();
    return 'accepts';
  } catch (error) {
    return (error as Error).message.endsWith('connection refused') ? 'refuses' : 'neither';
  }
}
