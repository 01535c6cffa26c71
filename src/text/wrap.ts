import { beginning } from './cut.ts';

/**
 * Splits words into lines of at most `width` UTF-16 code units. Breaks a longer word, and never splits a surrogate
 * pair.
 */
export function wrap(text: string, width: number): string[] {
  return filled(text.split(' '), ' ', width);
}

/** Splits the path of a field into lines as `wrap` does, behind dots where possible. */
export function wrapPath(path: string, width: number): string[] {
  return filled(path.split(/(?<=\.)/), '', width);
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
