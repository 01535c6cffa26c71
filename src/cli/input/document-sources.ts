import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readUpTo, readUtf8File, utf8Text } from '../../base/files/regular-file.ts';
import {
  contentOf,
  documentsIn,
  isKind,
  linesAlike,
  linesOf,
  placesIn,
  type TemplatePlace,
} from './template-places.ts';
import type { Position } from '../../yaml/reading/documents.ts';

/** A text file of a chart. */
interface TextFile {
  readonly file: string;
  readonly text: string;
}

/** The file that wrote a document, with the places of the document's lines. */
interface DocumentSource {
  readonly file: string;
  readonly placeOf: (position: Position) => TemplatePlace;
}

/**
 * Finds the file that wrote each document of a rendered text: the template, if the template has the line with the
 * document's `kind`. Otherwise the file of the chart that has most lines of the document, and at least half of them: a
 * library template, or a file that the template reads with `.Files` and `tpl`. Undefined where no file has.
 *
 * @param others the other text files of the chart
 */
export async function documentSources(
  text: string,
  template: string,
  others: () => Promise<readonly TextFile[]>,
): Promise<(position: Position) => DocumentSource | undefined> {
  const templateText = await readUtf8File(template).catch(() => undefined);
  // A template of a packed subchart is in no file.
  if (templateText === undefined) return () => undefined;
  const own = { file: template, placeOf: placesIn(templateText, text) };
  const sources: { readonly first: number; readonly source: DocumentSource | undefined }[] = [];
  for (const { first, lines } of documentsIn(text)) {
    const kind = lines.findIndex(isKind);
    const isOwn = kind < 0 || own.placeOf({ line: first + kind + 1, column: 1 }).isFound;
    const best = isOwn ? undefined : mostAlike(contentOf(lines), await others());
    const source = best && { file: best.file, placeOf: placesIn(best.text, text) };
    sources.push({ first, source: isOwn ? own : source });
  }
  return ({ line }) => sources.findLast(({ first }) => first < line)?.source;
}

function mostAlike(wanted: readonly string[], files: readonly TextFile[]): TextFile | undefined {
  let best: TextFile | undefined;
  let most = wanted.length / 2;
  for (const each of files) {
    const alike = linesAlike(wanted, linesOf(each.text));
    if (alike < most || (alike === most && best !== undefined)) continue;
    [best, most] = [each, alike];
  }
  return best;
}

/** A longer file is no manifest that people write. */
const LONGEST_FILE_BYTES = 256 * 1024;
const MOST_FILES = 1000;
const TEXT_FILE = /\.(?:ya?ml|json|tpl|txt|gotmpl)$/;

/** The text files of a chart that may hold manifests. Links are not followed. */
export async function textFilesIn(directory: string): Promise<readonly TextFile[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile() && TEXT_FILE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const texts: TextFile[] = [];
  for (const file of files.slice(0, MOST_FILES)) {
    const bytes = await readUpTo(file, LONGEST_FILE_BYTES).catch(() => undefined);
    if (bytes !== undefined) texts.push({ file, text: textOf(bytes) });
  }
  return texts;
}

function textOf(bytes: Buffer): string {
  try {
    return utf8Text(bytes);
  } catch {
    return '';
  }
}
