import { setFlagsFromString } from 'node:v8';

/** In percent of what was in use after the last full collection. */
const GROWTH_PERCENT = 60;

/**
 * Lets the old generation of the heap grow further before it is collected whole again. V8 by itself lets a heap as
 * small as a server's grow by a third only, so that a busy server has a full collection every few seconds, each with
 * some 50 ms of marking on the core that answers requests. The limit that Node was started with counts as before. Not
 * for the start: what that leaves behind is to be collected soon.
 */
export function letHeapGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
