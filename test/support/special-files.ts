import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** What is not a regular file, by its path, and as messages call it. None of them has a reader or a writer. */
export interface SpecialFile {
  readonly path: string;
  readonly kind: string;
}

/** Makes a FIFO and a socket in a directory, and names a device. `close` closes the socket. */
export async function specialFiles(directory: string): Promise<{ files: SpecialFile[]; close: () => void }> {
  const [fifo, socket] = [join(directory, 'fifo.yaml'), join(directory, 'socket.yaml')];
  execFileSync('mkfifo', [fifo]);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const files = [
    { path: fifo, kind: 'a FIFO (named pipe)' },
    { path: socket, kind: 'a socket' },
    { path: '/dev/zero', kind: 'a character device' },
    { path: directory, kind: 'a directory' },
  ];
  return { files, close: () => server.close() };
}
