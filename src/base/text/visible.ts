/**
 * Characters that are hidden, or that change the display of the text around them. Control characters: C0, DEL, C1.
 * Format and default-ignorable characters: bidirectional overrides, zero-width characters, tags. Also line and
 * paragraph separators, lone surrogates, private-use characters and noncharacters.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]`;

/** The hidden characters that emoji need: flags of regions, joiners between two pictures, picture variants, keycaps. */
const IN_EMOJI = [
  String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{4,6}\u{e007f}`,
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Extended_Pictographic})\ufe0f`,
  String.raw`(?<=[#*0-9])\ufe0f(?=\u20e3)`,
].join('|');

const ANY_HIDDEN = new RegExp(HIDDEN, 'u');
const EACH_HIDDEN = new RegExp(`(${IN_EMOJI})|${HIDDEN}+`, 'gu');

/** Log commands that CI hosts run anywhere in a line: `##[` of GitHub and Azure, `##vso[` of Azure, `##teamcity[`. */
const LOG_COMMAND = /##(?=[A-Za-z]*\[)/g;

/**
 * Makes a text safe to show to people and CI hosts, on one line. Hidden characters and CI log commands become JSON
 * escapes (`\u001b`, `\n`, `#\u0023[`). Accents, CJK and emoji stay unchanged. A visible text stays unchanged, and JSON
 * text keeps its value.
 */
export function visible(text: string): string {
  const shown = ANY_HIDDEN.test(text)
    ? text.replace(EACH_HIDDEN, (found, inEmoji: string | undefined) => inEmoji ?? escaped(found))
    : text;
  return shown.replace(LOG_COMMAND, `#${escaped('#')}`);
}

/**
 * A whole line of output: visible, and without `::` at the start of the line. GitHub's runner reads `::` at the start
 * of a line as a workflow command, and skips spaces before `::`.
 */
export function outputLine(text: string): string {
  return visible(text).replace(/^(\s*):(?=:)/, `$1${escaped(':')}`);
}

/** The escapes by UTF-16 code unit, each computed once: hostile texts repeat a few characters a million times. */
const ESCAPES = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
]);

/** Returns JSON escapes, one for each half of a surrogate pair. */
function escaped(characters: string): string {
  let escapes = '';
  for (let index = 0; index < characters.length; index++) escapes += escapeOf(characters.charCodeAt(index));
  return escapes;
}

function escapeOf(unit: number): string {
  const known = ESCAPES.get(unit);
  if (known !== undefined) return known;
  const made = `\\u${unit.toString(16).padStart(4, '0')}`;
  ESCAPES.set(unit, made);
  return made;
}

/** The JSON text of a value, safe to show: hidden characters and log commands are escaped. */
export function jsonText(value: unknown, replacer?: (key: string, value: unknown) => unknown, indent?: number): string {
  return visibleJson(JSON.stringify(value, replacer, indent));
}

/** JSON text with the same value that is safe to show. Line breaks and tabs between tokens stay. */
export function visibleJson(json: string): string {
  return json.replace(/[^\n\t]+/g, (piece) => visible(piece));
}

/** Markup that is already escaped. */
export type Markup = string;

/** Escapes text for XML content or for a quoted attribute. Characters that XML 1.0 forbids are made visible first. */
export function escapeXml(text: string): Markup {
  return visible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}
