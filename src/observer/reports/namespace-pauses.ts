import { Backoff } from '../../cluster/client/backoff.ts';
import type { BackoffLimits } from '../../cluster/client/backoff.ts';

/** Pauses of namespaces in which a request failed. A namespace that fails again and again delays no other namespace. */
export class NamespacePauses {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  readonly #paused = new Map<string, { readonly backoff: Backoff; until: number }>();

  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** A request of the namespace has failed, so the namespace waits. */
  failed(namespace: string, now: number): void {
    const paused = this.#paused.get(namespace) ?? { backoff: new Backoff(this.#limits, this.#random), until: 0 };
    paused.until = now + paused.backoff.next();
    this.#paused.set(namespace, paused);
  }

  succeeded(namespace: string): void {
    this.#paused.delete(namespace);
  }

  isPaused(namespace: string, now: number): boolean {
    return (this.#paused.get(namespace)?.until ?? 0) > now;
  }

  clear(): void {
    this.#paused.clear();
  }
}
