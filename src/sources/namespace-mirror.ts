import { isRecord } from '../kubernetes/kubernetes-object.ts';
import { NAMESPACE_NAME_LABEL } from '../policy/policy-set.ts';
import type { KubernetesObject } from '../kubernetes/kubernetes-object.ts';
import type { Listing } from '../kubernetes/reflector.ts';
import type { NamespaceLabels } from '../policy/policy-set.ts';

const NO_LABELS: ReadonlyMap<string, string> = new Map();

/** The labels of a cluster's namespaces, and nothing else of them. The label that says the name is left out: it is known anyway. */
export class NamespaceMirror {
  readonly #changed: (name: string) => void;
  readonly #labels = new Map<string, ReadonlyMap<string, string>>();

  /** @param changed a namespace is new, has other labels, or is gone */
  constructor(changed: (name: string) => void) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#labels.size;
  }

  has(name: string): boolean {
    return this.#labels.has(name);
  }

  /** A copy: what a snapshot says does not change. */
  labels(): NamespaceLabels {
    return new Map(this.#labels);
  }

  /** Takes a list of all the namespaces that there are. */
  listing(): Listing {
    const present = new Set<string>();
    return {
      page: (objects) => {
        for (const object of objects) {
          present.add(object.metadata.name);
          this.apply(object);
        }
      },
      end: () => {
        for (const name of this.#labels.keys()) if (!present.has(name)) this.#forget(name);
      },
    };
  }

  apply({ metadata: { name, labels } }: KubernetesObject): void {
    const before = this.#labels.get(name);
    const after = readLabels(labels);
    if (before !== undefined && isSame(before, after)) return;
    this.#labels.set(name, after);
    this.#changed(name);
  }

  remove({ metadata: { name } }: KubernetesObject): void {
    this.#forget(name);
  }

  #forget(name: string): void {
    if (this.#labels.delete(name)) this.#changed(name);
  }
}

function readLabels(labels: unknown): ReadonlyMap<string, string> {
  if (!isRecord(labels)) return NO_LABELS;
  const read = new Map<string, string>();
  for (const [key, value] of Object.entries(labels))
    if (key !== NAMESPACE_NAME_LABEL && typeof value === 'string') read.set(key, value);
  return read.size === 0 ? NO_LABELS : read;
}

function isSame(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): boolean {
  if (before.size !== after.size) return false;
  for (const [key, value] of before) if (after.get(key) !== value) return false;
  return true;
}
