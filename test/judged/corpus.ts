import { existsSync } from 'node:fs';

/**
 * Public workloads, reduced to what probes are judged by, each with the table of its judgements and a bound for charts
 * that their maintainers keep well (issues 42 and 50). They are not ours to store.
 */
const ALL = [
  { directory: '../shared/corpus', table: 'test/judged/corpus.yaml', mostWarnings: 0.13 },
  { directory: '../shared/corpus-5', table: 'test/judged/corpus-5.yaml', mostWarnings: 0.25 },
];

/** Those of this machine. */
export const CORPORA = ALL.filter(({ directory }) => existsSync(directory));

for (const { directory } of ALL)
  if (!CORPORA.some((other) => other.directory === directory)) console.log(`skipped: there is no ${directory}`);
