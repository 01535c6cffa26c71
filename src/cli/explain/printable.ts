/**
 * Text from a manifest as it may go to a terminal or into XML: control, formatting and line-breaking characters (bidirectional
 * overrides among them) and halves of surrogate pairs are written as their code points, so that a name cannot hide or rewrite
 * what stands around it.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

/** Words in lines of at most `width` characters. A word that is longer is broken. */
export function wrapped(text: string, width: number): string[] {
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

/** Breaks between characters, never inside a surrogate pair. */
function pieces(word: string, width: number): string[] {
  if (word.length <= width) return [word];
  const characters = Array.from(word);
  const parts: string[] = [];
  for (let at = 0; at < characters.length; at += width) parts.push(characters.slice(at, at + width).join(''));
  return parts;
}

/** `text` in at most `length` characters, with an ellipsis where it was cut. */
export function shortened(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
