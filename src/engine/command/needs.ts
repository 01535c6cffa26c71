import { pathsOfCommand, scriptIn, type ProgramReader } from './paths.ts';
import { firstProgramAt, programName, programsOf, shellInvocationOf, type ExecCommand } from './words.ts';

/** A program that must be in the image, or the command fails. */
export interface Need {
  /** The program without its folders. */
  readonly program: string;
  /** Index of the word of the command that starts it. For a program in a script, the index of the script. */
  readonly at: number;
}

/** True for a program in a folder of the operating system. A program elsewhere was copied into the image. */
const isOfSystem = (word: string): boolean => /^(?:\/(?:usr\/(?:local\/)?)?s?bin\/)?[^/]+$/.test(word);

/**
 * The programs without which a command fails, and which an image does not have, first first: those that the command
 * starts, else one that its script needs on every way. A script that may go on without the program does not need it.
 *
 * @param isMissing whether the image lacks a program of its system folders
 */
export function missingOf(command: ExecCommand, isMissing: (program: string) => boolean): readonly Need[] {
  const { argv, shell } = command;
  const missing = startedBy(argv).filter(({ program }) => isMissing(program));
  // Whoever copied a shell into the image may have copied programs, too.
  const isReadable = shell?.scriptAt !== undefined && isOfSystem(argv[shell.at] ?? '');
  if (missing.length > 0 || !isReadable) return missing;
  const without = pathsOfCommand(command, readerOf(isMissing));
  const [program] = without?.started ?? [];
  if (program === undefined || without?.canSucceed !== 'no') return [];
  const isHopeless = pathsOfCommand(command, readerOf(never))?.canSucceed === 'no';
  return isHopeless ? [] : [{ program, at: shell.scriptAt }];
}

const never = (): boolean => false;

/** The programs of system folders that a command starts one by another: `timeout`, then `curl`. */
function startedBy(argv: readonly string[]): readonly Need[] {
  const first = firstProgramAt(argv);
  const all = programsOf(argv) ?? [{ at: first, program: programName(argv[first] ?? '') }];
  // BusyBox has the programs behind its name.
  const busybox = all.findIndex(({ program }) => program === 'busybox');
  const own = busybox < 0 ? all : all.slice(0, busybox + 1);
  return own.filter(({ at }) => isOfSystem(argv[at] ?? ''));
}

/** A program that is missing fails; any other may do both. */
function readerOf(isMissing: (program: string) => boolean): ProgramReader {
  return (argv) => {
    const missing = startedBy(argv).find(({ program }) => isMissing(program));
    if (missing !== undefined) return { status: 'fails', labels: [missing.program] };
    const script = scriptIn(argv, shellInvocationOf(argv));
    return { status: 'free', labels: [], ...(script && { script }) };
  };
}
