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
  let hasContent = false;
  let mayHoldList = false;
  let isScalarOpen = false;
  for (let start = 0; start < text.length; start = nextLine(text, start)) {
    const letter = text.charCodeAt(start);
    if (letter === SPACE || letter === NEWLINE || letter === RETURN || letter === HASH) {
      if (hasContent && !isScalarOpen) continue;
      if (NOTHING.test(lineAt(text, start))) continue;
      // The root may be indented as a whole, and a plain scalar may have several lines.
      return undefined;
    }
    if (letter === DASH) {
      const line = lineAt(text, start);
      if (hasContent ? !mayHoldList || !/^-(?:[ \t\r]|$)/.test(line) : !MARKER.test(line)) return undefined;
      isScalarOpen = false;
      continue;
    }
    KEY.lastIndex = start;
    const [, key, rest = ''] = KEY.exec(text) ?? [];
    if (key === undefined) return undefined;
    hasContent = true;
    mayHoldList = NOTHING.test(rest);
    isScalarOpen = key === 'kind' || key === 'apiVersion';
    if (!isScalarOpen) {
      if (!endsInLine(rest.trim())) return undefined;
      continue;
    }
    const [, double, single, plain] = SCALAR.exec(rest) ?? [];
    const value = double ?? single ?? plain;
    if (value === undefined || found[key as keyof Outline] !== undefined) return undefined;
    // y, on and null are no texts.
    if (plain !== undefined && resolvePlainScalar(plain) !== plain) return undefined;
    found[key as keyof Outline] = value;
  }
  return hasContent ? found : undefined;
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
