import type { CertificateListener } from './certificate-source.ts';
import type { ServingPair } from './serving-pair.ts';

/** A start that waits for the first pair, or for stop. Later pairs are reported to the listener. */
export class PendingStart {
  readonly #listener: CertificateListener;
  #resolve: ((pair: ServingPair) => void) | undefined;
  #reject: (reason: Error) => void = () => undefined;
  #isStopped = false;
  readonly firstPair: Promise<ServingPair>;

  constructor(listener: CertificateListener) {
    this.#listener = listener;
    this.firstPair = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  found(pair: ServingPair): void {
    if (this.#isStopped) return;
    if (this.#resolve === undefined) return this.#listener.changed(pair);
    this.#resolve(pair);
    this.#resolve = undefined;
  }

  failed(problem: string): void {
    if (!this.#isStopped) this.#listener.failed(problem);
  }

  /** Ends all reports. A start that still waits is rejected. */
  stop(): void {
    this.#isStopped = true;
    this.#reject(new Error('stopped before there was a certificate'));
  }
}
