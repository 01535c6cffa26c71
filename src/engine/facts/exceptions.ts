import { EXCEPTION_KIND } from '../policy/probe-exception.ts';
import type { ProbeException } from '../policy/probe-exception.ts';

/** The ProbeExceptions of each namespace, as one immutable lookup. */
export class Exceptions {
  readonly #byNamespace: ReadonlyMap<string, readonly ProbeException[]>;

  /** @param byNamespace is kept as it is, so the caller must not change it */
  constructor(byNamespace: ReadonlyMap<string, readonly ProbeException[]>) {
    this.#byNamespace = byNamespace;
  }

  /** The exceptions of a namespace. Empty for a namespace without any. */
  ofNamespace(namespace: string): readonly ProbeException[] {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  /** All exceptions, namespace by namespace. */
  get byNamespace(): ReadonlyMap<string, readonly ProbeException[]> {
    return this.#byNamespace;
  }

  /** Returns these exceptions with others: an exception of the same namespace and name is replaced. */
  with(others: Exceptions): Exceptions {
    if (others.#byNamespace.size === 0) return this;
    if (this.#byNamespace.size === 0) return others;
    const merged = new Map(this.#byNamespace);
    for (const [namespace, list] of others.#byNamespace) {
      const replaced = new Set(list.map(({ name }) => name));
      merged.set(namespace, [...this.ofNamespace(namespace).filter(({ name }) => !replaced.has(name)), ...list]);
    }
    return new Exceptions(merged);
  }

  /** @param sources exceptions as `ProbeException/NAMESPACE/NAME` */
  without(sources: ReadonlySet<string>): Exceptions {
    const kept = [...this.#byNamespace].map(
      ([namespace, list]) =>
        [namespace, list.filter(({ name }) => !sources.has(exceptionSource(namespace, name)))] as const,
    );
    return new Exceptions(new Map(kept));
  }
}

/** An exception as messages and `--remove` name it: `ProbeException/apps/legacy`. */
export function exceptionSource(namespace: string, name: string): string {
  return `${EXCEPTION_KIND}/${namespace}/${name}`;
}

const NONE: readonly ProbeException[] = [];

export const NO_EXCEPTIONS = new Exceptions(new Map());
