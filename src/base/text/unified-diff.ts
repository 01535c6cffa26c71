import { structuredPatch, type StructuredPatchHunk } from 'diff';

/** One line of a unified diff, without a line break. */
export interface DiffLine {
  readonly kind: 'file' | 'place' | 'same' | 'removed' | 'added' | 'note';
  readonly text: string;
}

/** Lines around each change, as `diff -u` and git print them. */
const CONTEXT = 3;

/** The time of the `diff` package grows with the square of the changed lines. This many take 0.1 s in 1 MB. */
const MOST_CHANGED_LINES = 400;

const KINDS = { ' ': 'same', '-': 'removed', '+': 'added', '\\': 'note' } as const;

/**
 * Returns the unified diff of two texts, as `diff -u` and git print it. Equal texts have no lines.
 *
 * @param context lines around each change
 */
export function unifiedDiff(name: string, before: string, after: string, context = CONTEXT): DiffLine[] {
  if (before === after) return [];
  const hunks = hunksOf(before, after, context) ??
    hunksOfDocuments(before, after, context) ?? [wholeHunk(before, after)];
  return [
    { kind: 'file', text: `--- ${sideName('a', name)}` },
    { kind: 'file', text: `+++ ${sideName('b', name)}` },
    ...hunks.flatMap(hunkLines),
  ];
}

/** `patch -p1` and `git apply` remove the first folder of a relative path. */
function sideName(side: string, name: string): string {
  return name.startsWith('/') || name.startsWith('<') ? name : `${side}/${name.replace(/^(?:\.\/)+/, '')}`;
}

/** Undefined when the texts have too many changes. */
function hunksOf(before: string, after: string, context: number): StructuredPatchHunk[] | undefined {
  return structuredPatch('', '', before, after, '', '', { context, maxEditLength: MOST_CHANGED_LINES })?.hunks;
}

/**
 * Compares the documents of YAML streams one by one. A document ends with the separator, which stays the same: git
 * refuses a hunk that ends with a change inside a file.
 */
function hunksOfDocuments(before: string, after: string, context: number): StructuredPatchHunk[] | undefined {
  const [old, now] = [documentsOf(before), documentsOf(after)];
  if (old.length !== now.length) return undefined;
  const hunks: StructuredPatchHunk[] = [];
  let [oldLine, newLine] = [0, 0];
  for (const [index, text] of old.entries()) {
    const changed = now[index] ?? '';
    const own = text === changed ? [] : hunksOf(text, changed, context);
    if (own === undefined) return undefined;
    for (const hunk of own)
      hunks.push({ ...hunk, oldStart: hunk.oldStart + oldLine, newStart: hunk.newStart + newLine });
    oldLine += linesOf(text).length;
    newLine += linesOf(changed).length;
  }
  return hunks;
}

function documentsOf(text: string): string[] {
  return text.split(/(?<=^---.*\n)/m);
}

function wholeHunk(before: string, after: string): StructuredPatchHunk {
  const [old, now] = [linesOf(before), linesOf(after)];
  const lines = [...signed('-', old), ...signed('+', now)];
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines };
}

/** The lines of a text with their line breaks. Only the last line may have no line break. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)(?!$)/);
}

function signed(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, '\\ No newline at end of file'],
  );
}

function hunkLines({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): DiffLine[] {
  return [
    { kind: 'place', text: `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@` },
    ...lines.map((text) => ({ kind: KINDS[text[0] as keyof typeof KINDS], text })),
  ];
}

/** A range without lines is named by the line before the range. */
function range(start: number, count: number): string {
  if (count === 0) return `${start - 1},0`;
  return count === 1 ? `${start}` : `${start},${count}`;
}
