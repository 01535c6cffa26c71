#!/usr/bin/env node
// pre-commit appends file names to the hook's `args`. Only a `--` at the end of `args` separates the file names from
// the flags. Without `--`, a file named `--exclude=x.yaml` would be read as a flag. This program rejects such a file.
import { lstatSync } from 'node:fs';

const [command, ...words] = process.argv.slice(2);
const end = words.indexOf('--');
const flags = end < 0 ? words : words.slice(0, end + 1);
const files = end < 0 ? [] : words.slice(end + 1);

// A broken link is a file too. A name that cannot be a file, such as one that is too long, is none.
const isFile = (name) => {
  try {
    return lstatSync(name, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
};
const unclear = flags.find((word) => word.startsWith('-') && isFile(word));
if (unclear !== undefined) {
  const advice = unclear === '--' ? 'rename the file' : 'rename the file, or add -- at the end of the args of the hook';
  console.error(`probewright: ${JSON.stringify(unclear)} can be a file or a flag: ${advice}`);
  process.exit(2);
}
// A file named `-` is a file, and standard input has nothing to check.
process.argv.splice(2, Infinity, command, ...flags, ...files.map((name) => (name === '-' ? './-' : name)));
await import('./probewright.js');
