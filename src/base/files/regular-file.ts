import { constants, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';

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
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY).catch(
    async (error: unknown) => {
      // A file that has gone away in between is missing in the words of the check before the open.
      await stat(path);
      throw error;
    },
  );
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

/** Bytes that are no UTF-8, with the reason. */
export class NotUtf8Error extends Error {
  /** The ASCII characters of the text, which may be in UTF-16. */
  readonly ascii: string;

  constructor(bytes: Buffer) {
    super(whyNotUtf8(bytes));
    this.ascii = Buffer.from(bytes.filter((byte) => byte > 0 && byte < 0x80)).toString('ascii');
  }
}

/**
 * The text of bytes that must be UTF-8, with the byte order mark. Rejects invalid UTF-8: with U+FFFD in place of
 * invalid bytes, Probewright would check, or write back, a text that nobody wrote.
 *
 * @throws NotUtf8Error with the problem and its line
 */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotUtf8Error(Buffer.from(bytes));
  }
}

/** The text of a regular file that must be UTF-8. */
export async function readUtf8File(path: string): Promise<string> {
  return utf8Text(await readRegularFile(path));
}

function whyNotUtf8(bytes: Buffer): string {
  if (['feff', 'fffe'].includes(bytes.toString('hex', 0, 2))) return 'it is UTF-16, and must be UTF-8';
  // The first byte that differs between the bytes and the decoded text is the first invalid byte.
  const replaced = Buffer.from(bytes.toString('utf8'));
  const at = bytes.findIndex((byte, index) => byte !== replaced[index]);
  const line = bytes.subarray(0, at).reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 1);
  return `it is not UTF-8: byte 0x${bytes.toString('hex', at, at + 1)} in line ${line}`;
}
