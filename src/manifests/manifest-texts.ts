import { readFile, stat } from 'node:fs/promises';
import { findYamlFiles } from '../files/yaml-files.ts';
import { readUtf8File, utf8Text } from '../files/utf8.ts';
import { messageOf } from '../text/error-message.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { LinkReport } from '../files/yaml-files.ts';

/** A text with manifests or policies, and the name that messages give it. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
}

/** Texts that were read, and what could not be read. One does not keep the other from being used. */
export interface ReadTexts {
  readonly texts: ManifestText[];
  readonly problems: FileProblem[];
}

/** The name of standard input in messages. */
export const STDIN_NAME = '<stdin>';
/** Other names of standard input. */
const STDIN_PATH = /^\/dev\/(?:stdin|fd\/0)$/;
/** Pipes that a shell passes for `<(helm template .)`. */
const DESCRIPTOR_PATH = /^\/(?:dev|proc\/self)\/fd\/\d+$/;

/**
 * Reads the manifests that arguments name: a file, every YAML and JSON file below a directory, or `-` for standard
 * input. Pipes are read where the shell has opened them. A FIFO that is named is refused, as opening it could wait
 * without end.
 */
export async function readManifestTexts(
  names: readonly string[],
  readStdin: () => Promise<string>,
): Promise<ReadTexts> {
  const read: ReadTexts = { texts: [], problems: [] };
  for (const name of names) {
    if (name === '-') await readOne(read, STDIN_NAME, readStdin);
    else if (STDIN_PATH.test(name)) await readOne(read, name, readStdin);
    else if (DESCRIPTOR_PATH.test(name)) await readOne(read, name, () => readDescriptor(name));
    else await readPath(read, name);
  }
  return read;
}

/** Reads the policies of a regular file, or of every YAML and JSON file below a directory. */
export async function readPolicyTexts(path: string): Promise<ReadTexts> {
  const read: ReadTexts = { texts: [], problems: [] };
  await readPath(read, path);
  return read;
}

async function readOne({ texts, problems }: ReadTexts, file: string, reading: () => Promise<string>): Promise<void> {
  try {
    texts.push({ file, text: await reading() });
  } catch (error) {
    problems.push(unreadable(file, error));
  }
}

async function readDescriptor(path: string): Promise<string> {
  return (await stat(path)).isFIFO() ? utf8Text(await readFile(path)) : readUtf8File(path);
}

async function readPath(read: ReadTexts, name: string): Promise<void> {
  for (const file of await filesOf(name, read.problems)) await readOne(read, file, () => readUtf8File(file));
}

/**
 * The files to read for a name: the place for rules about files below a directory. Links out of a directory are not
 * followed, as the author of the directory may lack the right to read what the links lead to.
 */
async function filesOf(name: string, problems: FileProblem[]): Promise<string[]> {
  const links: LinkReport = {
    outside: (link) => {
      const advice = 'name the file itself to have it read';
      const message = `is a symbolic link that leads out of ${name}, and is skipped; ${advice}`;
      problems.push({ file: link, line: 1, column: 1, message });
    },
    broken: (link, error) => void problems.push(unreadable(link, error)),
  };
  try {
    if (!(await stat(name)).isDirectory()) return [name];
    return (await findYamlFiles(name, links)).map(({ path }) => path);
  } catch (error) {
    problems.push(unreadable(name, error));
    return [];
  }
}

function unreadable(file: string, error: unknown): FileProblem {
  return { file, line: 1, column: 1, message: `cannot be read: ${messageOf(error)}` };
}
