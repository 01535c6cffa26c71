import { unifiedDiff, type DiffLine } from '../../base/text/unified-diff.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import type { ApplyStyle, Style } from './screen.ts';

const STYLES: Readonly<Partial<Record<DiffLine['kind'], Style>>> = {
  file: 'heading',
  place: 'note',
  added: 'added',
  removed: 'removed',
};

/**
 * The unified diff of all files.
 *
 * @param isTerminal true for a person: hidden characters are escaped. `git apply` needs the lines as they are.
 */
export function diffText(
  files: readonly { readonly file: string; readonly before: string; readonly after: string }[],
  paint: ApplyStyle,
  isTerminal: boolean,
): string {
  const shown = (text: string): string => (isTerminal ? visible(text.replace(/\r$/, '')) : text);
  const lines = files.flatMap(({ file, before, after }) => unifiedDiff(visible(file), before, after));
  return lines.map(({ kind, text }) => `${painted(kind, shown(text), paint)}\n`).join('');
}

/** One line of a diff for people, without a line break. Hidden characters are escaped. */
export function paintedLine({ kind, text }: DiffLine, paint: ApplyStyle): string {
  return painted(kind, outputLine(text), paint);
}

function painted(kind: DiffLine['kind'], shown: string, paint: ApplyStyle): string {
  const style = STYLES[kind];
  return style === undefined ? shown : paint(style, shown);
}
