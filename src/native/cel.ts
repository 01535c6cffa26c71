/** A named expression of the policy. Later ones read it as `variables.<name>`. */
export interface CelVariable {
  readonly name: string;
  readonly expression: string;
}

/** A text as a CEL literal. */
export function celText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

export const celList = (values: readonly string[]): string => `[${values.map(celText).join(', ')}]`;

/** The first value of a list with one name for it: CEL has no `let`. */
export const withName = (value: string, name: string, body: string): string => `[${value}].map(${name}, ${body})[0]`;

export const larger = (a: string, b: string): string => `(${a} > ${b} ? ${a} : ${b})`;
export const smaller = (a: string, b: string): string => `(${a} < ${b} ? ${a} : ${b})`;

/**
 * A map with values of several types. The API server lets a literal have values of one type, and `dyn` fits all types.
 */
export function celMap(members: Readonly<Record<string, string>>): string {
  return `{${Object.entries(members)
    .map(([key, value]) => `${celText(key)}: dyn(${value})`)
    .join(', ')}}`;
}

/** A record as it was before, as far as its members are kept, with more members or other ones. */
export function celWith(record: string, kept: readonly string[], members: Readonly<Record<string, string>>): string {
  return celMap({ ...Object.fromEntries(kept.map((name) => [name, `${record}.${name}`])), ...members });
}

/** The source of a regular expression for RE2. Lookarounds are unknown there, so the caller must not use them. */
export function celPattern({ source, flags }: RegExp): string {
  return celText(`${flags.includes('i') ? '(?i)' : ''}${source.replaceAll('\\/', '/')}`);
}

/** One of these words, as a part of a regular expression. */
export function anyOf(words: readonly string[]): string {
  return `(?:${words.map((word) => word.replace(/[.+*?()[\]{}|\\^$]/g, '\\$&')).join('|')})`;
}

/** One line: the API server counts characters, and people read the variables by name. */
export const oneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
