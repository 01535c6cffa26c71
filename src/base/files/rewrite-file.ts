import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { replaceFile } from './replace-file.ts';

/**
 * Replaces the text of a file that was read before. The file keeps its permissions and, if possible, its owner. No
 * reader sees half of the text. A symbolic link stays, and the file behind the link gets the text.
 *
 * @throws Error when the file is read-only, or has changed since `before` was read
 */
export async function rewriteFile(path: string, before: string, after: string): Promise<void> {
  const real = await realpath(path);
  await access(real, constants.W_OK);
  const { mode, uid, gid } = await stat(real);
  if (!(await readFile(real)).equals(Buffer.from(before))) throw new Error('it changed after it was read');
  await replaceFile(real, after, mode & 0o7777, { uid, gid });
}
