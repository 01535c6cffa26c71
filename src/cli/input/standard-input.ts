import { readFile, stat } from 'node:fs/promises';
import { readUtf8File, utf8Text } from '../../base/files/regular-file.ts';
import type { FoundInput } from './kustomizations.ts';

export const STDIN_NAME = '<stdin>';
const STDIN_PATH = /^\/dev\/(?:stdin|fd\/0)$/;
/** Pipes that a shell passes for `<(helm template .)`. */
const DESCRIPTOR_PATH = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

/** True for a name of standard input, and of a pipe that a shell passes: there is no file to write to. */
export function isStandardInput(name: string): boolean {
  return name === '-' || STDIN_PATH.test(name) || DESCRIPTOR_PATH.test(name);
}

/** The input that a name of standard input or of a pipe means. Undefined for other names. */
export function streamOf(name: string, readStdin: () => Promise<string>): FoundInput | undefined {
  if (!isStandardInput(name)) return undefined;
  if (name === '-' || STDIN_PATH.test(name))
    return { kind: 'stream', path: name === '-' ? STDIN_NAME : name, read: readStdin };
  const readDescriptor = async (): Promise<string> =>
    (await stat(name)).isFIFO() ? utf8Text(await readFile(name)) : await readUtf8File(name);
  return { kind: 'stream', path: name, read: readDescriptor };
}
