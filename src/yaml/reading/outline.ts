import { resolvePlainScalar } from './scalars.ts';

/** What the text of a document shows of its object without a parser. */
export interface Outline {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** A key in block style, plain and at the start of a line, with the rest of the line. */
const KEY = /([A-Za-z_][\w./-]*):(?=[ \t\r\n]|$)([^\n]*)/y;
const SCALAR = /^[ \t]+(?:"([\w./-]+)"|'([\w./-]+)'|([A-Za-z][\w./-]*))(?:[ \t]+(?:#.*)?)?\r?$/;
const NOTHING = /^[ \t]*(?:#.*)?\r?$/;
const MARKER = /^---[ \t]*(?:[ \t]#.*)?\r?$/;

/**
 * Returns the `apiVersion` and the `kind` of a document that is a mapping in block style without indentation: all of
 * its keys are at the start of a line then. Undefined for any document that may be something else: flow style, JSON, a
 * directive, a tab, a quoted or tagged key, a merge key, a second `kind`, or a value that may go on in the next line.
 */
export function outlineOf(text: string): Outline | undefined {
  // libyaml ends a line at a carriage return, too.
  if (text.includes('\r') && /\r(?!\n)/.test(text)) return undefined;
  const found: { apiVersion?: string; kind?: string } = {};
  /** What may follow the last key. Undefined before the first one. */
  let next: 'list or block' | 'block' | 'key' | undefined;
  for (let start = 0; start < text.length; start = nextLine(text, start)) {
    const letter = text.charCodeAt(start);
    if (letter === SPACE || letter === NEWLINE || letter === RETURN || letter === HASH) {
      if (next !== undefined && next !== 'key') continue;
      if (NOTHING.test(lineAt(text, start))) continue;
      // The root may be indented as a whole, and a plain scalar may have several lines.
      return undefined;
    }
    if (letter === DASH) {
      const line = lineAt(text, start);
      const isItem = next === 'list or block' && /^-(?:[ \t\r]|$)/.test(line);
      if (next === undefined ? !MARKER.test(line) : !isItem) return undefined;
      continue;
    }
    KEY.lastIndex = start;
    const [, key, rest = ''] = KEY.exec(text) ?? [];
    if (key === undefined) return undefined;
    if (key !== 'kind' && key !== 'apiVersion') {
      if (!endsInLine(rest.trim())) return undefined;
      next = NOTHING.test(rest) ? 'list or block' : 'block';
      continue;
    }
    next = 'key';
    const [, double, single, plain] = SCALAR.exec(rest) ?? [];
    const value = double ?? single ?? plain;
    if (value === undefined || found[key] !== undefined) return undefined;
    // y, on and null are no texts.
    if (plain !== undefined && resolvePlainScalar(plain) !== plain) return undefined;
    found[key] = value;
  }
  return next && found;
}

/** False for a value whose quotes or brackets may end in a later line, and for a faulty one: `a: b`. */
function endsInLine(value: string): boolean {
  if (value.startsWith('"')) return /^"(?:[^"\\]|\\.)*"$/.test(value);
  if (value.startsWith("'")) return /^'(?:[^']|'')*'$/.test(value);
  if (!/^[[{]/.test(value)) return !/:(?:\s|$)/.test(value);
  const count = (pattern: RegExp): number => value.match(pattern)?.length ?? 0;
  return /[\]}]$/.test(value) && !/["'#]|\{\{/.test(value) && count(/[[{]/g) === count(/[\]}]/g);
}

const [SPACE, NEWLINE, RETURN, HASH, DASH] = [32, 10, 13, 35, 45];

function nextLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end + 1;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  return text.slice(start, end < 0 ? undefined : end);
}
