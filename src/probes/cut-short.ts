/** The first characters of a text that is longer than may be shown, and dots. */
export function cutShort(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}...` : text;
}
