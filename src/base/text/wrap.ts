import { beginning } from './cut.ts';

/** Splits words into lines of at most `width` UTF-16 code units. Breaks longer words, but no surrogate pair. */
export function wrap(text: string, width: number): string[] {
  return filled(text.split(' '), ' ', width);
}

/** Splits the path of a field into lines as `wrap` does, behind dots where possible. */
export function wrapPath(path: string, width: number): string[] {
  return filled(path.split(/(?<=\.)/), '', width);
}

/** Splits the name of a file into lines as `wrap` does, behind slashes where possible. */
export function wrapFile(file: string, width: number): string[] {
  return filled(file.split(/(?<=\/)/), '', width);
}

/**
 * Splits a text behind dots, slashes and equals signs of its long words, which are paths of fields, addresses and
 * labels. A browser may break the text between these pieces, and needs no break inside the name of a field: a piece
 * fits on the screen of a phone.
 */
export function breakablePieces(text: string): string[] {
  return text.split(/(\S{16,64}?[./=])(?=\w)/).filter((piece) => piece !== '');
}

function filled(words: readonly string[], gap: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words.flatMap((whole) => pieces(whole, width))) {
    if (line !== '' && line.length + gap.length + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : line + gap + word;
  }
  return [...lines, line];
}

/**
 * The same for running text. No line ends between a number and its unit. The last line is no single word where narrower
 * lines of the same number avoid that. Only lines of up to a third less than `width` are tried.
 */
export function wrapEvenly(text: string, width: number): string[] {
  const bound = text.replace(/(\d) (?=(?:s|min|h|d)\b)/g, `$1${NO_BREAK}`);
  return evenLines(bound, width).map((line) => line.replaceAll(NO_BREAK, ' '));
}

/** A space at which no line ends. */
const NO_BREAK = '\u00a0';

function evenLines(text: string, width: number): string[] {
  const lines = wrap(text, width);
  if (lines.length === 1 || !isOrphan(lines, width)) return lines;
  // Narrower lines would break the longest word.
  const least = Math.max((width * 2) / 3, ...lines.flatMap((line) => line.split(' ')).map(({ length }) => length));
  for (let narrower = width - 1; narrower >= least; narrower -= 1) {
    const candidate = wrap(text, narrower);
    if (candidate.length > lines.length) return lines;
    if (!isOrphan(candidate, width)) return candidate;
  }
  return lines;
}

/** True when the last line is a single word, or very short. */
function isOrphan(lines: readonly string[], width: number): boolean {
  const last = lines.at(-1) ?? '';
  return !last.includes(' ') || last.length < width / 8;
}

function pieces(word: string, width: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (rest.length > width) {
    const part = beginning(rest, Math.max(2, width));
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return [...parts, rest];
}
