/**
 * A number as written in a JSON text. Parsing would lose a difference that the API server checks. Go's decoder rejects
 * `1.0` and `1e1` as integers, and 9223372036854775808 is one above the largest signed 64-bit integer.
 */
export class NumberLiteral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

/**
 * Returns the number, or a NumberLiteral for a text that Go's decoder does not accept as an integer of at most 64 bits.
 */
export function numberOrLiteral(value: number, source: string): number | NumberLiteral {
  if (!/^-?\d{1,20}$/.test(source)) return new NumberLiteral(source);
  const integer = BigInt(source);
  return integer >= INT64.least && integer <= INT64.most ? value : new NumberLiteral(source);
}
