import { namesNoProgram } from './exec-program.ts';

/** The program that does the work of a command, behind programs such as `env` that start another program. */
export interface Invocation {
  /** Index of the program in the command. */
  readonly at: number;
  /** The program without its folders: `sh` for `/bin/sh`. */
  readonly program: string;
}

/** A program that starts the program behind its own words. */
interface Starter {
  /** Options whose value is the next word. */
  readonly valued: readonly string[];
  /** Words before the program that are no options: the seconds of `timeout`. */
  readonly operands: number;
}

const STARTERS: ReadonlyMap<string, Starter> = new Map([
  ['env', { valued: ['-u', '-C'], operands: 0 }],
  ['timeout', { valued: ['-s', '-k'], operands: 1 }],
  ['nice', { valued: ['-n'], operands: 0 }],
  ['ionice', { valued: ['-c', '-n'], operands: 0 }],
  ['nohup', { valued: [], operands: 0 }],
  ['setsid', { valued: [], operands: 0 }],
  ['stdbuf', { valued: ['-i', '-o', '-e'], operands: 0 }],
  ['time', { valued: [], operands: 0 }],
  ['busybox', { valued: [], operands: 0 }],
  ['tini', { valued: ['-e'], operands: 0 }],
  ['dumb-init', { valued: [], operands: 0 }],
  ['gosu', { valued: [], operands: 1 }],
  ['su-exec', { valued: [], operands: 1 }],
  ['sudo', { valued: ['-u', '-g'], operands: 0 }],
]);

/** Programs in front of the program that does the work, at most. */
const MOST_STARTERS = 4;

/** Returns the last segment of a program's path, also for a Windows path. */
export function programName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
}

/**
 * Finds the program that does the work. Undefined when the words end before it. An empty first word is skipped: the
 * check exec-command reports that word, and the other checks judge the command without it.
 */
export function invocationOf(argv: readonly string[]): Invocation | undefined {
  let at = firstProgramAt(argv);
  for (let count = 0; count <= MOST_STARTERS; count++) {
    const word = argv[at];
    if (word === undefined) return undefined;
    const program = programName(word);
    const starter = STARTERS.get(program);
    if (starter === undefined) return { at, program };
    at = behind(starter, program, argv, at + 1);
  }
  return undefined;
}

/** Returns the index of the first word that names a program. */
export function firstProgramAt(argv: readonly string[]): number {
  const at = argv.findIndex((word) => !namesNoProgram(word));
  return at < 0 ? argv.length : at;
}

/** Returns the index of the word behind a starter's own words. */
function behind({ valued, operands }: Starter, program: string, argv: readonly string[], start: number): number {
  let at = start;
  let left = operands;
  for (; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return at + 1 + left;
    // Older releases of BusyBox take the seconds with -t.
    if (program === 'timeout' && word === '-t') left -= 1;
    if (valued.includes(word) || (program === 'timeout' && word === '-t')) at += 1;
    else if (word.startsWith('-') || (program === 'env' && /^\w+=/.test(word))) continue;
    else break;
  }
  return at + left;
}
