import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';

/** Checks by the checks that find something wherever they do: identical probes share their endpoint and their patience. */
export const IMPLIED_CHECKS: Readonly<Record<string, readonly string[]>> = { 'identical-probes': ['shared-endpoint'] };

/** A note about a default of the API server, which examples of another check may have beside it. */
export const isAside = (found: string, id: string): boolean =>
  CHECK_CATALOGUE[found]?.notesDefault === true && found !== id;
