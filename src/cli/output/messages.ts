import { messageOf } from '../../base/text/error-message.ts';
import { PROGRAM, printLine, type CommandIo } from '../io.ts';
import { formatFileProblem, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import { isInCluster, type ObjectOrigin } from '../input/cluster-object.ts';

const PATIENCE_MILLISECONDS = 1000;
const INTERVAL_MILLISECONDS = 200;

/** Shows a person who waits how far a command is: one line on standard error, after a second, on a terminal only. */
export class Progress {
  readonly #io: CommandIo;
  /** The instant of the next bar, in milliseconds on the monotonic clock. */
  #next: number;
  #isVisible = false;

  /** Create the progress when the command starts: the first second counts from here. */
  constructor(io: CommandIo) {
    this.#io = io;
    this.#next = io.monotonic() + PATIENCE_MILLISECONDS;
  }

  /**
   * Shows a bar. May be called often.
   *
   * @param what the work that goes on: `reading`
   * @param unit what `done` and `total` count, for numbers beside the bar
   */
  show(what: string, done: number, total: number, unit?: string): void {
    const { stderr, stderrColumns, monotonic } = this.#io;
    if (stderrColumns === undefined) return;
    const now = monotonic();
    if (now < this.#next) return;
    this.#next = now + INTERVAL_MILLISECONDS;
    this.#isVisible = true;
    stderr.write(`\r\u001b[K${progressBar(what, done, total, stderrColumns, unit)}`);
  }

  /** Removes the bar. A later call of `show` shows a bar again. */
  end(): void {
    if (this.#isVisible) this.#io.stderr.write('\r\u001b[K');
    this.#isVisible = false;
  }
}

const MOST_BAR_COLUMNS = 30;

/** A bar that fits the columns: `reading  [=======>            ]  40 %`. A longer line could not be removed again. */
export function progressBar(what: string, done: number, total: number, columns: number, unit?: string): string {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  const numbers = unit === undefined ? '' : `  ${done} of ${total} ${unit}`;
  // The last column stays empty, because a terminal may wrap there.
  const room = columns - 1 - `${what}  [] ${percent}`.length;
  const width = Math.min(MOST_BAR_COLUMNS, room);
  if (width < 3) return percent.trimStart().slice(0, Math.max(0, columns - 1));
  const filled = '='.repeat(Math.floor(share * (width - 1)));
  const bar = `${what}  [${`${filled}>`.padEnd(width)}] ${percent}`;
  return bar.length + numbers.length < columns ? bar + numbers : bar;
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
