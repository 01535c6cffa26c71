/** The first characters of a text that is longer than may be shown, and dots. Half of a character that takes two is no character. */
export function cutShort(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}...` : text;
}
