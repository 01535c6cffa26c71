import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A Node that is too old for every entry point. */
export interface OldNode {
  /** The program and its first arguments; the script follows. */
  readonly command: readonly [string, ...string[]];
  readonly version: string;
}

/** The oldest Node that some entry point accepts. */
const OLDEST_ACCEPTED = 22;

/** Makes this Node believe that it is an old one. It still reads all that an old one cannot read. */
const FAKED = '20.19.0';
const FAKE = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${FAKED}"})`;

/** An old Node of the PATH or of PROBEWRIGHT_NODES. A machine without one gets this Node with another version number. */
export function oldNode(): OldNode {
  const named = (process.env['PROBEWRIGHT_NODES'] ?? '').split(delimiter);
  const onPath = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'node'));
  for (const program of [...named, ...onPath].filter((path) => path !== '' && existsSync(path))) {
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    if (Number.parseInt(version, 10) < OLDEST_ACCEPTED) return { command: [program], version };
  }
  console.log(`no Node before ${OLDEST_ACCEPTED} is on the PATH: this Node plays ${FAKED}`);
  return { command: [process.execPath, '--import', FAKE], version: FAKED };
}
