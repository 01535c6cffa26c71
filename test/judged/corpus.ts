import { existsSync } from 'node:fs';

/** Public workloads, reduced to what probes are judged by. They are not ours to store. */
export const CORPUS = '../shared/corpus';

export const CORPUS_IS_THERE = existsSync(CORPUS);
if (!CORPUS_IS_THERE) console.log(`skipped: there is no ${CORPUS}`);
