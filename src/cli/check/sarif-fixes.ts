import { isAbsolute, relative } from 'node:path';
import { isWithin } from '../../base/files/yaml-files.ts';
import { STDIN_NAME } from '../input/read-inputs.ts';
import { visible } from '../../base/text/visible.ts';
import { YamlFieldEditor, type TextReplacement } from '../../yaml/editing/field-editing.ts';
import { positionsIn, type Position } from '../../yaml/reading/documents.ts';
import type { ManifestText } from '../input/manifest.ts';
import type { PlacedViolation } from './report.ts';

const LONGEST_TEXT = 256 * 1024;
/** Most characters that are read again to verify fixes: 64 fixes of the longest text, about 5 s. */
const MOST_CHARACTERS = 64 * LONGEST_TEXT;

interface EditedText {
  readonly text: string;
  readonly editor: YamlFieldEditor;
  readonly positionAt: (offset: number) => Position;
}

/**
 * Turns advice into `fixes` of SARIF: replacements of exact regions. A violation gets no fix when its advice cannot be
 * written into the text alone, when the text is no file, and when verification would take too long.
 */
export class SarifFixes {
  readonly #texts = new Map<string, string | undefined>();
  readonly #edited = new Map<string, EditedText | undefined>();
  #charactersLeft = MOST_CHARACTERS;

  constructor(texts: readonly ManifestText[]) {
    for (const { file, text, rendered } of texts) {
      const isFile = rendered === undefined && file !== STDIN_NAME;
      const isAmbiguous = this.#texts.has(file) && this.#texts.get(file) !== text;
      this.#texts.set(file, isFile && !isAmbiguous ? text : undefined);
    }
  }

  of({ file, remedy, edits, object }: PlacedViolation): { readonly fixes?: readonly unknown[] } {
    if (edits === undefined || object === undefined) return {};
    const edited = this.#editedText(file);
    if (edited === undefined || edited.text.length > this.#charactersLeft) return {};
    this.#charactersLeft -= edited.text.length;
    const placed = edits.map(({ path, value }) => ({ path: [...object.path, ...path], value }));
    const plan = edited.editor.verifiedPlan(object.document, placed);
    if (plan.kind === 'refused' || plan.replacements.length === 0) return {};
    const replacements = plan.replacements.map((replacement) => sarifReplacement(replacement, edited.positionAt));
    const description = remedy === undefined ? {} : { description: { text: visible(remedy) } };
    return {
      fixes: [{ ...description, artifactChanges: [{ artifactLocation: artifactLocation(file), replacements }] }],
    };
  }

  #editedText(file: string): EditedText | undefined {
    if (this.#edited.has(file)) return this.#edited.get(file);
    const text = this.#texts.get(file);
    const edited =
      text === undefined || text.length > LONGEST_TEXT
        ? undefined
        : { text, editor: new YamlFieldEditor(text), positionAt: positionsIn(text) };
    this.#edited.set(file, edited);
    return edited;
  }
}

function sarifReplacement({ start, end, text }: TextReplacement, positionAt: EditedText['positionAt']): unknown {
  const [from, to] = [positionAt(start), positionAt(end)];
  return {
    deletedRegion: { startLine: from.line, startColumn: from.column, endLine: to.line, endColumn: to.column },
    ...(text !== '' && { insertedContent: { text } }),
  };
}

/** The name of the working directory in SARIF. GitHub takes relative URIs as relative to the repository's root. */
export const SOURCE_ROOT = '%SRCROOT%';

/**
 * Returns where SARIF finds a file. A file below the working directory gets a URI relative to that directory, also when
 * the command line names the file by an absolute path.
 */
export function artifactLocation(file: string): { readonly uri: string; readonly uriBaseId?: string } {
  if (!isAbsolute(file)) return { uri: uriPath(file), uriBaseId: SOURCE_ROOT };
  const below = relative('', file);
  return isWithin('', file) && below !== ''
    ? { uri: uriPath(below), uriBaseId: SOURCE_ROOT }
    : { uri: `file://${uriPath(file.replace(/^\/+/, '/'))}` };
}

/** Encodes a path. A relative path begins without `./`, because GitHub compares paths as texts. */
function uriPath(path: string): string {
  return path
    .toWellFormed()
    .replace(/^(?:\.\/+)+/, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}
