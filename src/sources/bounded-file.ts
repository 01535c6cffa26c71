import { createReadStream } from 'node:fs';

/**
 * What a file holds; undefined when that is more than so many bytes. No more than one byte too many is ever read, however large the file
 * is and whether it grows meanwhile.
 */
export async function readUpTo(path: string, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(path, { end: most }) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
  }
  return bytes > most ? undefined : Buffer.concat(chunks);
}
