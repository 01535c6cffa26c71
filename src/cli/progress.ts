import type { CommandIo } from './io.ts';

const PATIENCE_MILLISECONDS = 1000;
const INTERVAL_MILLISECONDS = 200;

/** One line on standard error that tells a waiting person how far a command is: after a second, and only on a terminal. */
export class Progress {
  readonly #io: CommandIo;
  readonly #started: number;
  #lastTold: number | undefined;

  constructor(io: CommandIo) {
    this.#io = io;
    this.#started = io.monotonic();
  }

  tell(line: string): void {
    if (!this.#io.stderrIsTerminal) return;
    const now = this.#io.monotonic();
    if (now - this.#started < PATIENCE_MILLISECONDS) return;
    if (this.#lastTold !== undefined && now - this.#lastTold < INTERVAL_MILLISECONDS) return;
    this.#lastTold = now;
    this.#io.stderr.write(`\r\u001b[K${line}`);
  }

  /** Takes the line away again. */
  end(): void {
    if (this.#lastTold !== undefined) this.#io.stderr.write('\r\u001b[K');
  }
}
