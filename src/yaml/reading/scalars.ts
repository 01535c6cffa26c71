import { utf8OfBase64 } from '../../base/text/utf8.ts';

export type JsonScalar = string | number | boolean | null;

/**
 * Returns the value of a plain (unquoted, untagged) scalar as kubectl reads it: YAML 1.1 as go-yaml v2 implements it.
 * `010` is 8, `8_080` is 8080, `on` is true and `~` is null. Sexagesimals (`1:30`) and timestamps (`2001-01-01`) stay
 * strings.
 *
 * `.inf` and `.nan` give Infinity and NaN. JSON cannot represent these values, so callers reject them. Integers above
 * 2^53 lose digits.
 */
export function resolvePlainScalar(text: string): JsonScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  return readNumber(text) ?? text;
}

/**
 * Returns the value of a scalar with a tag in long form (`tag:yaml.org,2002:int`), quoted or not. For tags that kubectl
 * ignores, the text is returned unchanged.
 *
 * @returns undefined when the text is not valid for the tag
 */
export function resolveTaggedScalar(tag: string, text: string): JsonScalar | undefined {
  const kind = tag.startsWith(corePrefix) ? tag.slice(corePrefix.length) : '';
  if (kind === 'binary') return decodeBase64(text);
  const typeName = typeOfTag.get(kind);
  if (typeName === undefined) return text;
  const value = resolvePlainScalar(text);
  if (kind === 'int' && !Number.isInteger(value)) return undefined;
  return typeof value === typeName ? value : undefined;
}

const corePrefix = 'tag:yaml.org,2002:';

/** JavaScript's name for the type of a tag's values. */
const typeOfTag: ReadonlyMap<string, string> = new Map([
  ['null', 'object'],
  ['bool', 'boolean'],
  ['int', 'number'],
  ['float', 'number'],
]);

const words: ReadonlyMap<string, number | boolean | null> = new Map<string, number | boolean | null>([
  ...wordsFor(null, '', '~', 'null', 'Null', 'NULL'),
  ...wordsFor(true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...wordsFor(false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...wordsFor(NaN, '.nan', '.NaN', '.NAN'),
  ...wordsFor(Infinity, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'),
  ...wordsFor(-Infinity, '-.inf', '-.Inf', '-.INF'),
]);

function wordsFor<Value>(value: Value, ...spellings: string[]): [string, Value][] {
  return spellings.map((spelling) => [spelling, value]);
}

const leadingPointFloat = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

function readNumber(text: string): number | undefined {
  // Nearly every scalar is a name.
  if (!/^[-+.0-9]/.test(text)) return undefined;
  const digits = text.replaceAll('_', '');
  // Underscores may be anywhere. Exception: in a number that starts with its point, underscores may only be between
  // digits (as in go-yaml).
  if (text.startsWith('.')) return leadingPointFloat.test(text) ? finite(Number(digits)) : undefined;
  const integer = readInteger(digits);
  if (integer !== undefined) return integer;
  return float.test(digits) ? finite(Number(digits)) : undefined;
}

/** go-yaml keeps a number that overflows a float64 (`1e400`) as a string. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

const integerForms: readonly { readonly form: RegExp; readonly prefix: string }[] = [
  { form: /^([-+]?)0[xX]([0-9a-fA-F]+)$/, prefix: '0x' },
  { form: /^([-+]?)0[bB]([01]+)$/, prefix: '0b' },
  { form: /^([-+]?)0[oO]?([0-7]+)$/, prefix: '0o' },
  { form: /^([-+]?)(0|[1-9][0-9]*)$/, prefix: '' },
];

/** Most digits of a 64-bit integer in any base, without leading zeros. It keeps 1 MB of digits out of BigInt. */
const maxDigits = 64;

function readInteger(text: string): number | undefined {
  for (const { form, prefix } of integerForms) {
    const [, sign, written] = form.exec(text) ?? [];
    const digits = written?.slice(written.search(/[^0]|.$/));
    if (digits === undefined || digits.length > maxDigits) continue;
    const magnitude = BigInt(prefix + digits);
    if (!fits64Bits(sign ?? '', magnitude)) continue;
    // Only floats have a minus zero. An integer zero has no sign.
    return magnitude === 0n ? 0 : Number(sign === '-' ? -magnitude : magnitude);
  }
  return undefined;
}

/** True for an integer that fits int64 or uint64. go-yaml reads larger ones as floats or strings. */
function fits64Bits(sign: string, magnitude: bigint): boolean {
  if (sign === '') return magnitude < 1n << 64n;
  return sign === '-' ? magnitude <= 1n << 63n : magnitude < 1n << 63n;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes base64. Bytes that are not UTF-8 become U+FFFD, as in the conversion to JSON. */
function decodeBase64(text: string): string | undefined {
  const joined = text.replace(/[\r\n]/g, '');
  return base64.test(joined) ? utf8OfBase64(joined) : undefined;
}
