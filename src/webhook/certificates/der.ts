/** One element of DER (X.690): a tag, and what it holds. */
export interface DerElement {
  /** Class, form and number in one byte: 0x30 is a SEQUENCE, 0x82 is `[2]` of a primitive type. */
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

export const DER_TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  sequence: 0x30,
} as const;

/**
 * The elements that follow one another. Throws on what is no DER, or has tags or lengths that certificates do not have.
 */
export function derElements(bytes: Buffer): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const element = firstElement(rest);
    elements.push(element);
    rest = rest.subarray(element.whole.length);
  }
  return elements;
}

function firstElement(bytes: Buffer): DerElement {
  const [tag = 0, first = 0] = bytes;
  const isLong = first >= 0x80;
  const lengthBytes = isLong ? first & 0x7f : 0;
  const start = 2 + lengthBytes;
  if ((tag & 0x1f) === 0x1f || bytes.length < start || (isLong && (lengthBytes === 0 || lengthBytes > 4)))
    throw new Error('not DER as certificates have it');
  const length = isLong ? bytes.readUIntBE(2, lengthBytes) : first;
  if (bytes.length < start + length) throw new Error('not DER: it ends too early');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) };
}

/** An OBJECT IDENTIFIER's content as text: `2.5.29.19`. */
export function derObjectIdentifier(content: Buffer): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of content) {
    number = number * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  const [head = 0, ...rest] = numbers;
  // X.690 8.19.4: the first two numbers share one.
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - first * 40, ...rest].join('.');
}

/** A small INTEGER that is not negative; undefined when it is another. */
export function derSmallInteger(content: Buffer): number | undefined {
  if (content.length === 0 || content.length > 4 || (content[0] ?? 0) >= 0x80) return undefined;
  return content.readUIntBE(0, content.length);
}
