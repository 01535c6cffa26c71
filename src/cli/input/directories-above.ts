import { dirname, isAbsolute, relative, resolve } from 'node:path';

/** The directories above a path, the nearest first, each as a path of the same form: relative or absolute. */
export function directoriesAbove(path: string): readonly string[] {
  const directories: string[] = [];
  let below = resolve(path);
  for (let directory = dirname(below); directory !== below; directory = dirname(below)) {
    directories.push(isAbsolute(path) ? directory : relative('', directory) || '.');
    below = directory;
  }
  return directories;
}
