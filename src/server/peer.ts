import type { Socket } from 'node:net';

/** The two ends of a connection, which TLS has in common with the connection below it. */
export function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''} ${localAddress ?? ''}`;
}
