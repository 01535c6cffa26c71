import { connect } from 'node:net';
import { codeOf, hostPort, socketErrorText } from './answer.ts';
import type { Duplex } from 'node:stream';

/** Where a port of the container is reached. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A failure in the words of Go. */
export class GoError extends Error {
  /** True when the time of the whole probe is over. */
  readonly isTimeout: boolean;

  constructor(message: string, isTimeout = false) {
    super(message);
    this.isTimeout = isTimeout;
  }
}

/** An open connection, with its ends as Go prints them: `10.0.0.1:8080`. */
export interface Connection {
  readonly stream: Duplex;
  readonly local: string;
  readonly remote: string;
}

/**
 * Opens a TCP connection. Rejects with a GoError in the words of Go's net package.
 *
 * @param real where the connection goes
 * @param shown the address that messages name: inside of the container, the port is often another one
 * @param signal ends the attempt
 */
export function dial(real: Endpoint, shown: Endpoint, signal: AbortSignal): Promise<Connection> {
  const remote = hostPort(shown.host, shown.port);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: real.host, port: real.port, noDelay: true });
    const stop = (): void => {
      fail(new GoError(`dial tcp ${remote}: i/o timeout`, true));
    };
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      reject(error instanceof GoError ? error : new GoError(dialText(error, shown, remote)));
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    socket.once('error', fail);
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      socket.off('error', fail);
      // Later errors are for the reader of the stream.
      socket.on('error', () => undefined);
      resolve({ stream: socket, local: hostPort(socket.localAddress ?? '', socket.localPort ?? 0), remote });
    });
  });
}

function dialText(error: unknown, { host }: Endpoint, remote: string): string {
  const code = codeOf(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  return `dial tcp ${remote}: connect: ${socketErrorText(code) ?? String(error)}`;
}

/** An error of reading in the words of Go: `read tcp LOCAL->REMOTE: read: connection reset by peer`. */
export function readText(error: unknown, { local, remote }: Connection): string {
  const code = codeOf(error);
  const verb = code === 'EPIPE' ? 'write' : 'read';
  return `${verb} tcp ${local}->${remote}: ${verb}: ${socketErrorText(code) ?? String(error)}`;
}

/** A port that is open answers at once on this machine. */
const OPEN_MILLISECONDS = 1000;

/** True for a port that accepts a connection. */
export async function isOpen(place: Endpoint): Promise<boolean> {
  return await dial(place, place, AbortSignal.timeout(OPEN_MILLISECONDS)).then(
    ({ stream }) => {
      stream.destroy();
      return true;
    },
    () => false,
  );
}
