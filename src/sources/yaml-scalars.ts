/** What a YAML scalar can be in JSON. */
export type JsonScalar = string | number | boolean | null;

/**
 * The value of a plain (unquoted, untagged) scalar as kubectl reads it: go-yaml v2's idea of YAML 1.1. So `010` is 8, `8_080` is
 * 8080, `on` is true and `~` is null, but sexagesimals (`1:30`) and timestamps (`2001-01-01`) stay strings.
 *
 * `.inf` and `.nan` give Infinity and NaN, for which JSON has no form: callers refuse them. Integers beyond 2^53 lose digits.
 */
export function resolvePlainScalar(text: string): JsonScalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  return readNumber(text) ?? text;
}

/**
 * The value of a scalar with a tag in its long form (`tag:yaml.org,2002:int`), whether it is quoted or not. Tags that mean
 * nothing to kubectl give the text as it is.
 *
 * @returns undefined when the text cannot be what the tag says
 */
export function resolveTaggedScalar(tag: string, text: string): JsonScalar | undefined {
  const kind = tag.startsWith(corePrefix) ? tag.slice(corePrefix.length) : '';
  if (kind === 'binary') return decodeBase64(text);
  const typeName = typeOfTag.get(kind);
  if (typeName === undefined) return text;
  const value = resolvePlainScalar(text);
  if (kind === 'int' && !Number.isInteger(value)) return undefined;
  return typeName === 'null' ? (value === null ? null : undefined) : typeof value === typeName ? value : undefined;
}

const corePrefix = 'tag:yaml.org,2002:';

const typeOfTag: ReadonlyMap<string, 'null' | 'boolean' | 'number'> = new Map([
  ['null', 'null'],
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
  const digits = text.replaceAll('_', '');
  // Underscores may stand anywhere, but in a number that starts with its point only between digits: so go-yaml does it.
  if (text.startsWith('.')) return leadingPointFloat.test(text) ? finite(Number(digits)) : undefined;
  if (!/^[-+0-9]/.test(text)) return undefined;
  const integer = readInteger(digits);
  if (integer !== undefined) return integer;
  return float.test(digits) ? finite(Number(digits)) : undefined;
}

/** go-yaml leaves what overflows a float64 (`1e400`) as a string. */
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

const integerForms: readonly { readonly form: RegExp; readonly prefix: string }[] = [
  { form: /^([-+]?)0[xX]0*([0-9a-fA-F]+)$/, prefix: '0x' },
  { form: /^([-+]?)0[bB]0*([01]+)$/, prefix: '0b' },
  { form: /^([-+]?)0[oO]?0*([0-7]+)$/, prefix: '0o' },
  { form: /^([-+]?)(0|[1-9][0-9]*)$/, prefix: '' },
];

/** More digits than this do not fit 64 bits in any base; the check keeps a megabyte of digits out of BigInt. */
const maxDigits = 64;

function readInteger(text: string): number | undefined {
  for (const { form, prefix } of integerForms) {
    const [, sign, digits] = form.exec(text) ?? [];
    if (digits === undefined || digits.length > maxDigits) continue;
    const magnitude = BigInt(prefix + digits);
    if (!fits64Bits(sign ?? '', magnitude)) continue;
    // Minus zero is a float only: an integer's zero has no sign.
    return magnitude === 0n ? 0 : Number(sign === '-' ? -magnitude : magnitude);
  }
  return undefined;
}

/** What fits neither int64 nor, without a sign, uint64 is no integer to go-yaml: a float in decimal, else a string. */
function fits64Bits(sign: string, magnitude: bigint): boolean {
  if (sign === '') return magnitude < 1n << 64n;
  return sign === '-' ? magnitude <= 1n << 63n : magnitude < 1n << 63n;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes that are no UTF-8 become U+FFFD, as they do on the way into JSON. */
function decodeBase64(text: string): string | undefined {
  const joined = text.replace(/[\r\n]/g, '');
  return base64.test(joined) ? Buffer.from(joined, 'base64').toString('utf8') : undefined;
}
