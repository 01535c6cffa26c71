import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { CallName, Outcome } from './victim-calls.ts';

export interface VictimTask {
  readonly id: number;
  readonly call: CallName | 'heap';
  readonly text: string;
}

export interface VictimAnswer {
  readonly id: number;
  /** The better of two calls. */
  readonly milliseconds: number;
  /** What the YAML library alone takes for the text; measured for slow calls only. */
  readonly bareMilliseconds: number;
  /** How much slower than a machine that does nothing else this one was just then; measured for slow calls only. */
  readonly slowdown: number;
  readonly outcome?: Outcome;
  /** What was thrown. */
  readonly crash?: string;
  /** After a garbage collection, in bytes. */
  readonly heap?: number;
}

/** Whoever takes this long is taken to be hanging. */
const HANG_MILLISECONDS = 60_000;

/** The process that hostile texts are given to, from outside. Whoever starts it stops it. */
export class Victim {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (answer: VictimAnswer | Error) => void>();
  #count = 0;
  #ended: string | undefined;

  /** @param heapMebibytes what it may use: 256 is about what a container of the chart has */
  constructor(heapMebibytes = 256) {
    this.#process = fork(join(import.meta.dirname, 'victim.ts'), {
      execArgv: ['--expose-gc', `--max-old-space-size=${heapMebibytes}`],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#process.on('message', (answer: VictimAnswer) => {
      this.#waiting.get(answer.id)?.(answer);
    });
    this.#process.on('exit', (code, signal) => {
      this.#ended = `the process ended with ${signal ?? `exit code ${String(code)}`}`;
      for (const settle of this.#waiting.values()) settle(new Error(this.#ended));
    });
  }

  /** Rejects when the call throws, hangs or ends the process. */
  async call(call: CallName, text: string): Promise<VictimAnswer & { readonly outcome: Outcome }> {
    const answer = await this.#ask(call, text);
    if (answer.crash !== undefined || answer.outcome === undefined)
      throw new Error(`${call} crashed: ${answer.crash ?? ''}`);
    return { ...answer, outcome: answer.outcome };
  }

  /** What is left after a garbage collection, in bytes. */
  async heap(): Promise<number> {
    return (await this.#ask('heap', '')).heap ?? NaN;
  }

  stop(): void {
    this.#process.kill('SIGKILL');
  }

  #ask(call: VictimTask['call'], text: string): Promise<VictimAnswer> {
    if (this.#ended !== undefined) return Promise.reject(new Error(this.#ended));
    const id = this.#count++;
    return new Promise((resolve, reject) => {
      const watchdog = setTimeout(() => {
        this.#process.kill('SIGKILL');
        reject(new Error(`${call} hangs`));
      }, HANG_MILLISECONDS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(watchdog);
        this.#waiting.delete(id);
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      });
      this.#process.send({ id, call, text } satisfies VictimTask);
    });
  }
}
