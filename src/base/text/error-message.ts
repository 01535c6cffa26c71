/** The text of a thrown value: the message of an Error, or any other value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
