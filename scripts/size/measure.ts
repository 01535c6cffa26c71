import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** The size of one file or of many. */
export interface Size {
  readonly files: number;
  /** All lines. */
  readonly lines: number;
  /** Lines without blank lines, and without lines that hold only a comment. */
  readonly code: number;
}

/** Imports and exports from a module, `import type` and `import()` included. */
const IMPORT = /^(?:import|export)\b[^;'"]*?\bfrom '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;

/** The files below a folder with an ending, TypeScript by default, sorted. */
export function filesBelow(folder: string, ending = '.ts'): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .sort();
}

/** What each file imports of the files: types and lazily loaded modules, too. JSON, such as package.json, is no source. */
export function importGraph(files: readonly string[]): Map<string, readonly string[]> {
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const imports = [...readFileSync(file, 'utf8').matchAll(IMPORT)];
      const paths = imports.map(([, given, lazy]) => join(dirname(file), given ?? lazy ?? ''));
      return [file, paths.filter((path) => known.has(path))];
    }),
  );
}

/** A file and all that it imports, directly or not: what somebody has to read to know all that the file can do. */
export function closureOf(start: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set([start]);
  for (const file of found) for (const imported of graph.get(file) ?? []) found.add(imported);
  return found;
}

/** The files of single checks: what the catalogue imports, without the form that all checks share. */
export function singleChecksOf(graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const folder = 'src/engine/checks';
  const imported = graph.get(join(folder, 'catalogue.ts')) ?? [];
  return new Set(imported.filter((file) => dirname(file) === folder && file !== join(folder, 'check.ts')));
}

/** Tables that `npm run generate` writes, and examples, which tests run. */
const NOT_BY_HAND = /<!-- [^>]*npm run [^>]*-->[\s\S]*?<!-- end of [^>]*-->|^ *```[\s\S]*?^ *```$/gm;

/**
 * The size of texts that people write and read. A word has a letter or a digit; marks of tables are no words, pictures are
 * no links. `words` leaves out generated tables and examples.
 */
export function textSizeOf(files: Iterable<string>): {
  readonly pages: number;
  readonly words: number;
  readonly allWords: number;
  readonly links: number;
} {
  const texts = [...files].map((file) => readFileSync(file, 'utf8'));
  const count = (pattern: RegExp, of: readonly string[]): number =>
    of.reduce((all, text) => all + (text.match(pattern)?.length ?? 0), 0);
  const words = /\S*[\p{L}\p{N}]\S*/gu;
  return {
    pages: texts.length,
    words: count(
      words,
      texts.map((text) => text.replace(NOT_BY_HAND, '')),
    ),
    allWords: count(words, texts),
    links: count(/(?<!!)\[[^\]]*\]\([^)]+\)/g, texts),
  };
}

/** @throws Error when a file cannot be read */
export function sizeOf(files: Iterable<string>): Size {
  const sizes = [...files].map((file) => textSize(readFileSync(file, 'utf8')));
  const sum = (member: 'lines' | 'code'): number => sizes.reduce((all, size) => all + size[member], 0);
  return { files: sizes.length, lines: sum('lines'), code: sum('code') };
}

/** The size of one TypeScript text. A line counts as code where a token stands on it that imports nothing. */
export function textSize(text: string): Omit<Size, 'files'> {
  const source = ts.createSourceFile('text.ts', text, ts.ScriptTarget.ES2024);
  const code = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    if (children.length > 0) children.forEach(visit);
    else if (node.getWidth(source) > 0) {
      const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
      for (let line = lineAt(node.getStart(source)); line <= lineAt(node.end); line += 1) code.add(line);
    }
  };
  visit(source);
  return { lines: text === '' ? 0 : text.replace(/\n$/, '').split('\n').length, code: code.size };
}
