import { readRegularFile } from '../files/regular-file.ts';

/**
 * The text of bytes that must be UTF-8, its byte order mark included. What is none is refused: replaced by U+FFFD it would be judged,
 * or written back, as something that nobody wrote.
 *
 * @throws Error telling what is wrong, and where
 */
export function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(whyNotUtf8(Buffer.from(bytes)));
  }
}

/** The text of a regular file that must be UTF-8. */
export async function readUtf8File(path: string): Promise<string> {
  return utf8Text(await readRegularFile(path));
}

function whyNotUtf8(bytes: Buffer): string {
  if (['feff', 'fffe'].includes(bytes.toString('hex', 0, 2))) return 'it is UTF-16, and must be UTF-8';
  // Where the bytes and what was made of them part, there is the first replacement.
  const replaced = Buffer.from(bytes.toString('utf8'));
  const at = bytes.findIndex((byte, index) => byte !== replaced[index]);
  const line = bytes.subarray(0, at).reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 1);
  return `it is not UTF-8: byte 0x${bytes.toString('hex', at, at + 1)} in line ${line}`;
}
