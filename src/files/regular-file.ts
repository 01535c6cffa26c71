import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

/**
 * The bytes of a regular file, which may be reached by symbolic links. Anything else is refused at once: opening a FIFO waits for a
 * writer, and a device may have no end.
 *
 * @throws Error naming the path, and what is there instead of a file
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  await using file = await openRegularFile(path);
  return await file.readFile();
}

/**
 * The same, of a file of at most so many bytes; undefined when it has more. No more than one byte too many is ever read, however large
 * the file is and whether it grows meanwhile.
 */
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
 * Refuses what is there and is not a regular file, for files that a library reads. What is not there is left to the library.
 *
 * @throws Error naming the path, and what is there instead of a file
 */
export async function refuseSpecialFile(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats !== undefined) refuseSpecial(path, stats);
}

async function openRegularFile(path: string): Promise<FileHandle> {
  // Looked at before it is opened, as opening a device can have effects, and after, as it may have been replaced meanwhile.
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
