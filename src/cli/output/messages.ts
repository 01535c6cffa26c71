import { count } from '../../base/text/cut.ts';
import { messageOf } from '../../base/text/error-message.ts';
import { PROGRAM, printLine, type CommandIo } from '../io.ts';
import { formatFileProblem, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import { isInCluster, type ObjectOrigin } from '../input/cluster-object.ts';

/** How often a line is written: on a terminal over the line before, elsewhere below it. */
const ON_TERMINAL = { patience: 1000, interval: 200 };
const IN_LOG = { patience: 5000, interval: 5000 };

/**
 * Shows on standard error how far a command is: on a terminal, one line that changes, after a second; elsewhere a line
 * every five seconds, so that a log of a long job does not look like one that hangs.
 */
export class Progress {
  readonly #io: CommandIo;
  readonly #start: number;
  /** The instant of the next line, in milliseconds on the monotonic clock. */
  #next: number;
  #isVisible = false;
  readonly #pace: typeof ON_TERMINAL;
  #again: () => void = () => undefined;

  /** Create the progress when the command starts: the first second counts from here. */
  constructor(io: CommandIo) {
    this.#io = io;
    this.#start = io.monotonic();
    // A CI may give its jobs a terminal that nobody looks at.
    this.#pace = io.stderrColumns === undefined || isSet(io.env['CI']) ? IN_LOG : ON_TERMINAL;
    this.#next = this.#start + this.#pace.patience;
  }

  /**
   * Shows a line: `reading  120 of 743 files, 311 workloads, 2 s`. May be called often.
   *
   * @param what the work that goes on: `reading`
   * @param unit what `done` and `total` count
   * @param workloads the workloads that were found so far, if `unit` is something else
   */
  show(what: string, done: number, total: number, unit: string, workloads?: number): void {
    const { stderr, stderrColumns = 0, monotonic } = this.#io;
    this.#again = () => {
      this.show(what, done, total, unit, workloads);
    };
    const now = monotonic();
    if (now < this.#next) return;
    this.#next = now + this.#pace.interval;
    const found = workloads === undefined ? '' : `, ${count(workloads, 'workload')}`;
    const seconds = Math.floor((now - this.#start) / 1000);
    const line = `${what}  ${done} of ${total} ${unit}${found}, ${seconds} s`;
    if (this.#pace === IN_LOG) {
      printLine(stderr, line);
      return;
    }
    this.#isVisible = true;
    // The last column stays empty, because a terminal may wrap there. A longer line could not be removed again.
    stderr.write(`\r\u001b[K${line.slice(0, Math.max(0, stderrColumns - 1))}`);
  }

  /** Shows the line again and again while something is awaited that tells nothing. */
  async during<T>(work: Promise<T>): Promise<T> {
    const timer = setInterval(() => {
      this.#again();
    }, ON_TERMINAL.interval);
    // A wait that nothing ends must end the process: it then says that there is no result.
    timer.unref();
    return await work.finally(() => {
      clearInterval(timer);
    });
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
