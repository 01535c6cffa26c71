import { beginning } from './cut.ts';

/**
 * Splits words into lines of at most `width` UTF-16 code units. Breaks a longer word, and never splits a surrogate
 * pair.
 */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((whole) => pieces(whole, width))) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
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
