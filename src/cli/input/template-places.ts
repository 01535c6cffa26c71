import type { FieldPath } from '../../base/json/field-path.ts';
import type { Position } from '../../yaml/reading/documents.ts';

/** The place in a template that a rendered line comes from. */
export interface TemplatePlace extends Position {
  /** False when the template has not even the document's `kind`: another file has written the document. */
  readonly isFound: boolean;
  /** Undefined where the template writes the field itself, and where nobody can tell the value. */
  valueOf(field: FieldPath): ValueRead | undefined;
}

/** A value of the chart that the template writes into a field. */
interface ValueRead {
  /** `['probe']` for `probe: {{ toYaml .Values.probe }}`. */
  readonly name: readonly string[];
  /** The way from the value to the field: `['httpGet', 'port']`. */
  readonly below: FieldPath;
}

/**
 * Finds lines of a rendered text in the template. A rendered line and the keys above the line are looked up in the
 * template, in order, from the document's `kind` down, each in the block of the one before. A line with the same key
 * and a computed value counts as the same line. The last line that is found is the place: the field itself, or the
 * nearest key above the field that the template has. Without such a line, the place is the template's start.
 */
export function placesIn(templateText: string, renderedText: string): (position: Position) => TemplatePlace {
  const [template, rendered] = [linesOf(templateText), linesOf(renderedText)];
  return ({ line }) => {
    let found = -1;
    let end = template.length;
    let isWhole = true;
    for (const { text } of linesAbove(rendered, line - 1)) {
      const block = template.slice(found + 1, end);
      const exact = block.findIndex((each) => each.text === text);
      const next = exact >= 0 ? exact : block.findIndex((each) => computes(each.text, text));
      isWhole = next >= 0;
      // What is below a computed line is computed, too.
      if (!isWhole) break;
      found += next + 1;
      // The other keys of the document are beside its kind.
      if (!text.startsWith('kind:')) end = endOfBlock(template, found, end);
    }
    const at = template[found];
    return {
      line: Math.max(found, 0) + 1,
      column: Math.floor(at?.indent ?? 0) + 1,
      isFound: found >= 0,
      valueOf: (field) => at && valueRead(template, found, isWhole, field),
    };
  };
}

const EXPRESSION = '{{';

/** True for a line of the template that writes a rendered line, or computes the value of the same key. */
export function writesLine(template: string, rendered: string): boolean {
  return template === rendered || computes(template, rendered);
}

function computes(template: string, rendered: string): boolean {
  const key = keyOf(template);
  if (key === undefined || key !== keyOf(rendered) || template.startsWith('-') !== rendered.startsWith('-'))
    return false;
  return template.includes(EXPRESSION, template.indexOf(':'));
}

/** The line after the last one that is indented below a line. Lines with expressions only have any indentation. */
function endOfBlock(template: readonly Line[], index: number, most: number): number {
  const least = template[index]?.indent ?? 0;
  const end = template.findIndex(
    ({ indent, text }, at) => at > index && text !== '' && !text.startsWith('{{') && indent <= least,
  );
  return end < 0 ? most : Math.min(end, most);
}

/** The key of a line, also behind the dash of a list item. */
function keyOf(text: string): string | undefined {
  return /^(?:- )?([\w./-]+):(?: |$)/.exec(text)?.[1];
}

/** A line in flow style: `labels: { app: {{ .Values.app }} }`, `- [{{ .Values.a }}]`, `{port: {{ .Values.port }}}`. */
const FLOW = /(?:^|: *|- *)(?:\{(?!\{)|\[)/;

const VALUE = /\.Values\.([\w.]*\w)/;

/**
 * The value of the chart in the line that was found or, where the line's content is computed, in the expression below
 * the line. `{{ toYaml . }}` writes the value of the `with` above.
 */
function valueRead(
  template: readonly Line[],
  found: number,
  isWhole: boolean,
  field: FieldPath,
): ValueRead | undefined {
  const own = template[found];
  const key = own && keyOf(own.text);
  if (own === undefined || (isWhole && !own.text.includes(EXPRESSION) && own.text !== `${key ?? ''}:`))
    return undefined;
  const lines = template.slice(found, endOfBlock(template, found, template.length));
  const index = lines.findIndex(({ text }) => text.includes(EXPRESSION));
  const expression = lines[index]?.text ?? '';
  if (FLOW.test(expression)) return valueInFlow(expression, field);
  // A mapping that is written in the template may have one computed field. The value is not the mapping then.
  if (lines.slice(1, index + 1).some(({ text }) => !/^$|^#|^\{\{/.test(text))) return undefined;
  const below = key === undefined || !field.includes(key) ? [] : field.slice(field.lastIndexOf(key) + 1);
  const value = VALUE.exec(expression)?.[1] ?? valueAbove(template, found + index, expression);
  return value === undefined ? undefined : { name: value.split('.'), below };
}

function valueAbove(template: readonly Line[], index: number, expression: string): string | undefined {
  if (!/\btoYaml\s+\.(?:[\s)|}]|-\})/.test(expression)) return undefined;
  const above = template.slice(0, index).toReversed();
  return above.map(({ text }) => /\{\{-?\s*with\s+\$?\.Values\.([\w.]*\w)/.exec(text)?.[1]).find(Boolean);
}

/** The value that a line in flow style writes into a field, if the line has the field's name once. */
function valueInFlow(line: string, field: FieldPath): ValueRead | undefined {
  const members = line.matchAll(/[{,] *["']?([\w./-]+)["']?: *["']?(\{\{.*?\}\})/g);
  const own = Array.from(members).filter(([, name]) => name === field.at(-1));
  const hasOthers = line.split(`${String(field.at(-1))}:`).length !== 2;
  const value = own.length === 1 && !hasOthers ? VALUE.exec(own[0]?.[2] ?? '')?.[1] : undefined;
  return value === undefined ? undefined : { name: value.split('.'), below: [] };
}

function linesAbove(rendered: readonly Line[], index: number): readonly Line[] {
  const start = rendered.findLastIndex(({ text }, at) => at <= index && text === '---') + 1;
  const document = rendered.slice(start, index + 1);
  let least = Infinity;
  const above = document.toReversed().filter(({ indent, text }) => {
    if (text === '' || text.startsWith('#') || indent >= least) return false;
    least = indent;
    return true;
  });
  const kind = document.find(({ indent, text }) => indent === 0 && text.startsWith('kind:'));
  return [...(kind === undefined ? [] : [kind]), ...above.reverse()];
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** A list item counts as indented below its key, also when the dash is not. */
function linesOf(text: string): readonly Line[] {
  return text.split('\n').map((line) => {
    const trimmed = line.trim();
    const indent = line.search(/\S/);
    return { indent: indent + (trimmed.startsWith('- ') ? 0.5 : 0), text: trimmed };
  });
}
