import type { Socket } from 'node:net';

/** The two ends of a connection. The TLS socket and the connection below have the same ends. */
export function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''} ${localAddress ?? ''}`;
}
