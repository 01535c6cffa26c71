import { hasCode } from '../../cluster/client/api-error.ts';
import { isRecord } from '../../cluster/client/kubernetes-object.ts';
import { readCaState, SECRET_LABELS, writeCaState } from './ca-state.ts';
import { MirroredObject } from '../../cluster/client/mirrored-object.ts';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { CertificateDependencies } from './certificate-dependencies.ts';
import type { CaState, SecretContent, SecretReading } from './ca-state.ts';
import type { MirrorListener } from '../../cluster/client/mirrored-object.ts';

/** Which Secret. */
export interface SecretAddress {
  readonly namespace: string;
  readonly name: string;
}

/** The Secret as it was seen at one moment, for a decision and the write that follows from it. */
export interface SecretSight {
  readonly object: KubernetesObject | undefined;
  readonly generation: number;
  /** The content of the Secret; undefined when there is none. */
  readonly reading: SecretReading | undefined;
}

/**
 * The result of a write. A conflict means that the Secret has changed since it was read; the watch will deliver the
 * change.
 */
export type WriteResult = 'done' | 'conflict';

/**
 * The Secret that the replicas share their CAs in. Needs: create secrets; list, watch and update this one. A state is
 * in force once the watch has delivered it, also a state that this replica has written.
 */
export class CaSecret {
  readonly #client: ApiClient;
  readonly #address: SecretAddress;
  readonly #mirror: MirroredObject;
  readonly #dependencies: CertificateDependencies;
  readonly #stopped = new AbortController();
  #read: { readonly object: KubernetesObject; readonly reading: SecretReading } | undefined;

  constructor(
    client: ApiClient,
    address: SecretAddress,
    listener: MirrorListener,
    dependencies: CertificateDependencies,
  ) {
    this.#client = client;
    this.#address = address;
    this.#dependencies = dependencies;
    const { name } = address;
    this.#mirror = new MirroredObject(client, { collection: this.#collection(), name }, listener, dependencies);
  }

  start(): void {
    void this.#mirror.start();
  }

  stop(): void {
    this.#stopped.abort();
    this.#mirror.stop();
  }

  /** True once it is known whether the Secret exists. */
  get isKnown(): boolean {
    return this.#mirror.isKnown;
  }

  /** The Secret as the watch last delivered it. */
  look(): SecretSight {
    const { object, generation } = this.#mirror;
    if (object === undefined) return { object, generation, reading: undefined };
    if (this.#read?.object !== object)
      this.#read = { object, reading: readCaState(contentOf(object), this.#dependencies.now()) };
    return { object, generation, reading: this.#read.reading };
  }

  /**
   * False until the watch has delivered the result of the last write: a decision before that would go by an old state.
   */
  get isWritable(): boolean {
    return this.#mirror.isKnown && !this.#mirror.isAwaited(this.#dependencies.now());
  }

  /**
   * Creates the Secret, or replaces the one that was seen: a conflict when the Secret has changed since then. Rejects
   * when the API server cannot be reached, or does not allow it.
   */
  async write({ object, generation }: SecretSight, state: CaState): Promise<WriteResult> {
    try {
      await this.#client.request({
        method: object === undefined ? 'POST' : 'PUT',
        path: object === undefined ? this.#collection() : `${this.#collection()}/${this.#address.name}`,
        body: this.#body(state, object),
        signal: this.#stopped.signal,
      });
      this.#mirror.awaitChange(generation, this.#dependencies.now());
      return 'done';
    } catch (error) {
      // AlreadyExists and Conflict are 409; 404 is a Secret that was deleted meanwhile.
      if (!hasCode(error, 409) && !(object !== undefined && hasCode(error, 404))) throw error;
      this.#mirror.awaitChange(generation, this.#dependencies.now());
      return 'conflict';
    }
  }

  #collection(): string {
    return `/api/v1/namespaces/${this.#address.namespace}/secrets`;
  }

  #body(state: CaState, object: KubernetesObject | undefined): object {
    const { name, namespace } = this.#address;
    const metadata = object?.metadata ?? { name, namespace };
    const { data, annotations } = writeCaState(state, object && contentOf(object));
    return {
      // An existing Secret keeps its type, which cannot be changed.
      type: 'Opaque',
      ...object,
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...metadata, labels: { ...metadata.labels, ...SECRET_LABELS }, annotations },
      data,
    };
  }
}

function contentOf(object: KubernetesObject): SecretContent {
  return { data: dataOf(object), annotations: object.metadata.annotations ?? {} };
}

/** A Secret's data, base64. */
export function dataOf(object: KubernetesObject): Readonly<Record<string, string>> {
  const data = (object as { data?: unknown }).data;
  if (!isRecord(data)) return {};
  return Object.fromEntries(
    Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
