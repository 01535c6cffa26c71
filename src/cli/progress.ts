import type { CommandIo } from './io.ts';

const PATIENCE_MILLISECONDS = 1000;
const INTERVAL_MILLISECONDS = 200;

/** Shows a person who waits how far a command is: one line on standard error, after a second, on a terminal only. */
export class Progress {
  readonly #io: CommandIo;
  readonly #started: number;
  #lastShown: number | undefined;

  constructor(io: CommandIo) {
    this.#io = io;
    this.#started = io.monotonic();
  }

  show(line: string): void {
    if (this.#io.stderrColumns === undefined) return;
    const now = this.#io.monotonic();
    if (now - this.#started < PATIENCE_MILLISECONDS) return;
    if (this.#lastShown !== undefined && now - this.#lastShown < INTERVAL_MILLISECONDS) return;
    this.#lastShown = now;
    this.#io.stderr.write(`\r\u001b[K${line}`);
  }

  /** Removes the line. */
  end(): void {
    if (this.#lastShown !== undefined) this.#io.stderr.write('\r\u001b[K');
  }
}
