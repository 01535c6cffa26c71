import v8 from 'node:v8';
import vm from 'node:vm';

/** So many bytes of chunks, or of texts, are garbage before it is collected. */
const CHUNK_BYTES = 4 * 1024 * 1024;
const TEXT_BYTES = 6 * 1024 * 1024;

type Collect = (options: { readonly type: 'minor' | 'major'; readonly execution: 'sync' }) => void;

/**
 * Collects the memory of large bodies while they come. V8 alone waits until 64 MiB outside of its heap are garbage
 * (kExternalAllocationSoftLimit), which is more than the rest of the process has.
 */
export class ReceivedGarbage {
  #chunks = 0;
  #texts = 0;
  #collect: Collect | undefined;

  /** Counts a chunk that nothing holds any more. It is young, so this costs about 1 ms for 4 MiB. */
  addChunk(bytes: number): void {
    this.#chunks += bytes;
    if (this.#chunks < CHUNK_BYTES) return;
    this.#chunks = 0;
    this.#run('minor');
  }

  /** Counts a text that was judged. It may be old, so this costs about 15 ms for 6 MiB. */
  addText(bytes: number): void {
    this.#texts += bytes;
    if (this.#texts < TEXT_BYTES) return;
    this.#texts = 0;
    this.#run('major');
  }

  #run(type: 'minor' | 'major'): void {
    // A context that is made after the flag has the function.
    if (this.#collect === undefined) v8.setFlagsFromString('--expose-gc');
    this.#collect ??= vm.runInNewContext('gc') as Collect;
    this.#collect({ type, execution: 'sync' });
  }
}
