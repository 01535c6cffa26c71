/**
 * A number as a JSON text has it, where parsing would lose what the API server looks at: `1.0` and `1e1` are no integers to Go's decoder, and
 * 9223372036854775808 is one too many.
 */
export class NumberLiteral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

/** The number, or its literal where the two differ to Go's decoder: a text that is no integer of at most 64 bits. */
export function numberOrLiteral(value: number, source: string): number | NumberLiteral {
  if (!/^-?\d{1,20}$/.test(source)) return new NumberLiteral(source);
  const integer = BigInt(source);
  return integer >= INT64.least && integer <= INT64.most ? value : new NumberLiteral(source);
}
