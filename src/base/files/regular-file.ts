import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * The bytes of a regular file. Symbolic links to a regular file are allowed. Rejects everything else at once: opening a
 * FIFO waits for a writer, and a device may be endless.
 *
 * @throws Error with the path and the type of the special file
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  await using file = await openRegularFile(path);
  return await file.readFile();
}

/** The bytes of a regular file; undefined if it has more than `most` bytes. Also for a file that grows meanwhile. */
export async function readUpTo(path: string, most: number): Promise<Buffer | undefined> {
  await using file = await openRegularFile(path);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.createReadStream({ end: most, autoClose: false }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
  }
  return bytes > most ? undefined : Buffer.concat(chunks);
}

/**
 * Rejects a special file before a library reads the path. The library handles a missing file.
 *
 * @throws Error with the path and the type of the special file
 */
export async function refuseSpecialFile(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats !== undefined) refuseSpecial(path, stats);
}

async function openRegularFile(path: string): Promise<FileHandle> {
  // The type is checked before the open, because opening a device can have effects. The type is checked again after the
  // open, because another process may replace the file in between.
  refuseSpecial(path, await stat(path));
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    refuseSpecial(path, await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function refuseSpecial(path: string, stats: Stats): void {
  if (!stats.isFile()) throw new Error(`${path} is ${kindOf(stats)} and must be a regular file`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isFIFO()) return 'a FIFO (named pipe)';
  if (stats.isSocket()) return 'a socket';
  return stats.isBlockDevice() ? 'a block device' : 'a character device';
}
