import { count } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { PROGRAM, printLine, type CommandIo } from '../io.ts';
import { formatFileProblem, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import { isInCluster, type ObjectOrigin } from '../input/cluster-object.ts';

const PATIENCE_MILLISECONDS = 1000;
const INTERVAL_MILLISECONDS = 200;

/** Shows a person who waits how far a command is: one line on standard error, after a second, on a terminal only. */
export class Progress {
  readonly #io: CommandIo;
  readonly #start: number;
  /** The instant of the next line, in milliseconds on the monotonic clock. */
  #next: number;
  #isVisible = false;

  /** Create the progress when the command starts: the first second counts from here. */
  constructor(io: CommandIo) {
    this.#io = io;
    this.#start = io.monotonic();
    this.#next = this.#start + PATIENCE_MILLISECONDS;
  }

  /**
   * Shows a line: `reading  120 of 743 files, 311 workloads, 2 s`. May be called often.
   *
   * @param what the work that goes on: `reading`
   * @param unit what `done` and `total` count
   * @param workloads the workloads that were found so far, if `unit` is something else
   */
  show(what: string, done: number, total: number, unit: string, workloads?: number): void {
    const { stderr, stderrColumns, monotonic, env } = this.#io;
    // A CI may give its jobs a terminal that nobody looks at.
    if (stderrColumns === undefined || isSet(env['CI'])) return;
    const now = monotonic();
    if (now < this.#next) return;
    this.#next = now + INTERVAL_MILLISECONDS;
    this.#isVisible = true;
    const found = workloads === undefined ? '' : `, ${count(workloads, 'workload')}`;
    const seconds = Math.floor((now - this.#start) / 1000);
    const line = `${what}  ${done} of ${total} ${unit}${found}, ${seconds} s`;
    // The last column stays empty, because a terminal may wrap there. A longer line could not be removed again.
    stderr.write(`\r\u001b[K${line.slice(0, Math.max(0, stderrColumns - 1))}`);
  }

  /** Removes the line. A later call of `show` shows a line again. */
  end(): void {
    if (this.#isVisible) this.#io.stderr.write('\r\u001b[K');
    this.#isVisible = false;
  }
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && !['', '0', 'false'].includes(variable);
}

/**
 * Prints what could not be read, a line each: `apps/web.yaml:12:5: ...`. Objects of a cluster have no lines:
 * `cluster:shop/pod/web: ...`.
 *
 * @param origin tells whether the problems are in a cluster
 */
export function reportProblems(problems: readonly FileProblem[], io: CommandIo, origin: ObjectOrigin = {}): void {
  for (const problem of problems) {
    const { file, message } = problem;
    printLine(io.stderr, isInCluster(file, origin) ? `${file}: ${message}` : formatFileProblem(problem));
  }
}

/** Writes a file. False, after a message, when it cannot be written. */
export async function wasWritten(
  command: string,
  path: string,
  io: CommandIo,
  write: () => Promise<void>,
): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    printLine(io.stderr, `${PROGRAM} ${command}: ${path} cannot be written: ${messageOf(error)}`);
    return false;
  }
}
