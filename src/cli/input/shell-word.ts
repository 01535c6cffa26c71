/** Returns a path as one word of a POSIX shell, for a command line that a person copies. */
export function shellPath(path: string): string {
  const word = path.startsWith('-') ? `./${path}` : path;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
