import type { YamlPair } from './text-edits.ts';

/** A key to write into one mapping. */
export interface Addition {
  readonly key: string;
  readonly value: unknown;
  /** The existing pair, when the key already has an empty or null value. */
  readonly present: YamlPair | undefined;
}
