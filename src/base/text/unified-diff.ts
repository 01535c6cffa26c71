import { lineDiff } from './line-diff.ts';

/** One line of a unified diff, without a line break. */
export interface DiffLine {
  readonly kind: 'file' | 'place' | 'same' | 'removed' | 'added' | 'note';
  readonly text: string;
}

/** Lines around each change, as `diff -u` and git print them. */
const CONTEXT = 3;

/**
 * Returns the unified diff of two texts, as `diff -u` and git print it. Equal texts have no lines.
 *
 * @param context lines around each change
 */
export function unifiedDiff(name: string, before: string, after: string, context = CONTEXT): DiffLine[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  const hunks = hunksOf(lineDiff(old, now), old, now, context);
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

/** The lines of a text with their line breaks. Only the last line may have no line break. */
function linesOf(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

interface Hunk {
  /** The first lines of the hunk, from 0. */
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }[];
}

function hunksOf(
  runs: ReturnType<typeof lineDiff>,
  old: readonly string[],
  now: readonly string[],
  context: number,
): Hunk[] {
  const hunks: Hunk[] = [];
  let [x, y] = [0, 0];
  runs.forEach(({ kind, count }, index) => {
    const lines = (kind === 'added' ? now.slice(y, y + count) : old.slice(x, x + count)).map((text) => ({
      kind,
      text,
    }));
    const hunk = hunks.at(-1);
    const isLast = index === runs.length - 1;
    if (kind !== 'same') {
      if (hunk === undefined) hunks.push({ oldStart: x, newStart: y, lines });
      else for (const line of lines) hunk.lines.push(line);
    } else if (hunk === undefined || (count > 2 * context && !isLast)) {
      for (const line of lines.slice(0, context)) hunk?.lines.push(line);
      const kept = Math.min(context, count);
      if (!isLast)
        hunks.push({ oldStart: x + count - kept, newStart: y + count - kept, lines: lines.slice(count - kept) });
    } else for (const line of isLast ? lines.slice(0, context) : lines) hunk.lines.push(line);
    if (kind !== 'added') x += count;
    if (kind !== 'removed') y += count;
  });
  return hunks;
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

function hunkLines({ oldStart, newStart, lines }: Hunk): DiffLine[] {
  const oldCount = lines.filter(({ kind }) => kind !== 'added').length;
  const newCount = lines.filter(({ kind }) => kind !== 'removed').length;
  const place = `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`;
  return [{ kind: 'place', text: place }, ...lines.flatMap(({ kind, text }) => shownLine(kind, text))];
}

/** A range without lines is named by the line before the range. */
function range(start: number, count: number): string {
  if (count === 0) return `${start},0`;
  return count === 1 ? `${start + 1}` : `${start + 1},${count}`;
}

function shownLine(kind: keyof typeof SIGNS, text: string): DiffLine[] {
  if (text.endsWith('\n')) return [{ kind, text: SIGNS[kind] + text.slice(0, -1) }];
  return [
    { kind, text: SIGNS[kind] + text },
    { kind: 'note', text: '\\ No newline at end of file' },
  ];
}
