import { readRegularFile } from './regular-file.ts';

/**
 * The text of bytes that must be UTF-8, with the byte order mark. Rejects invalid UTF-8: with U+FFFD in place of
 * invalid bytes, Probewright would check, or write back, a text that nobody wrote.
 *
 * @throws Error with the problem and its line
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
  // The first byte that differs between the bytes and the decoded text is the first invalid byte.
  const replaced = Buffer.from(bytes.toString('utf8'));
  const at = bytes.findIndex((byte, index) => byte !== replaced[index]);
  const line = bytes.subarray(0, at).reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 1);
  return `it is not UTF-8: byte 0x${bytes.toString('hex', at, at + 1)} in line ${line}`;
}
