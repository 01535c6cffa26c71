/** One key to write into a mapping of a YAML or JSON text. */
export interface Insertion {
  /** The document, as YamlDocument.index in the same text. */
  readonly document: number;
  /** The path of the mapping that gets the new key. The path may lead into the value of an earlier insertion. */
  readonly path: readonly (string | number)[];
  /** A key that is absent from the mapping or has a null value. */
  readonly key: string;
  /** The value as JSON data. */
  readonly value: unknown;
}
