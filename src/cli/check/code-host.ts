import { createHash } from 'node:crypto';
import { isAbsolute, relative } from 'node:path';
import { isWithin } from '../../base/files/yaml-files.ts';

/**
 * Returns the function that gives each finding of a report its fingerprint, with the number of the finding among those
 * of the same identity. The fingerprint is independent of files, lines and texts, so a finding that moves stays the
 * same alert.
 */
export function fingerprints(): (key: string) => string {
  const occurrences = new Map<string, number>();
  return (key) => {
    const occurrence = (occurrences.get(key) ?? 0) + 1;
    occurrences.set(key, occurrence);
    return `${createHash('sha256').update(key.toWellFormed()).digest('hex').slice(0, 32)}:${occurrence}`;
  };
}

/**
 * The path of a file as CI hosts compare it with those of a repository: relative to the working directory if the file
 * is below it, and without `./`.
 */
export function pathInRepository(file: string): string {
  if (!isAbsolute(file)) return file.replace(/^(?:\.\/+)+/, '');
  const below = relative('', file);
  return isWithin('', file) && below !== '' ? below : file.replace(/^\/+/, '/');
}
