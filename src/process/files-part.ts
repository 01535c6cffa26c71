import { policyListener } from './policy-listener.ts';
import type { Logger } from 'pino';
import type { DirectorySource } from '../cluster/sources/directory-source.ts';
import type { PolicyStore } from '../cluster/sources/policy-store.ts';
import type { Part } from './part.ts';

/** The part that reads policies from files, and follows their changes. */
export function filesPart(files: DirectorySource, store: PolicyStore, log: Logger): Part {
  return {
    start: async () => {
      store.replace('files', await files.start(policyListener('files', store, log)));
    },
    stop: () => {
      files.stop();
    },
  };
}
