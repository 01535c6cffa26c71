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
 * document of the template that wrote them, in order, from its `kind` down, each in the block of the one before. A line
 * with the same key and a computed value counts as the same line. The last line that is found is the place: the field
 * itself, or the nearest key above the field that the template has. Without such a line, and where nobody can tell the
 * document, the place is the template's start.
 */
export function placesIn(templateText: string, renderedText: string): (position: Position) => TemplatePlace {
  const template = linesOf(templateText);
  const written = documentsIn(renderedText);
  const writerOf = writersIn(templateText, written);
  return ({ line }) => {
    const document = written.findLast(({ first }) => first < line);
    const writer = document && writerOf(document);
    if (document === undefined || writer === undefined) return START;
    let found = writer.first - 1;
    let end = writer.first + writer.lines.length;
    let isWhole = true;
    for (const { text } of linesAbove(document.lines, line - 1 - document.first)) {
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
    const at = found < writer.first ? undefined : template[found];
    if (at === undefined) return { ...START, isFound: false };
    return {
      line: found + 1,
      column: Math.floor(at.indent) + 1,
      isFound: true,
      valueOf: (field) => valueRead(template, found, isWhole, field),
    };
  };
}

const START: TemplatePlace = { line: 1, column: 1, isFound: true, valueOf: () => undefined };

/** A document of a text, by the index of its first line. */
interface TextDocument {
  readonly first: number;
  readonly lines: readonly Line[];
}

/** The documents of a text. A `---` in a text of several lines is indented, and ends none. */
export function documentsIn(text: string): readonly TextDocument[] {
  const lines = linesOf(text);
  const starts = lines.flatMap((line, index) => (line.indent === 0 && line.text === '---' ? [index + 1] : []));
  return [0, ...starts].map((first, at) => ({
    first,
    lines: lines.slice(first, (starts[at] ?? lines.length + 1) - 1),
  }));
}

/** True for the line with the kind of a document. */
export const isKind = ({ indent, text }: Line): boolean => indent === 0 && text.startsWith('kind:');

/**
 * The document of a template that has written a document: of those with its kind the one with most of its lines, and
 * of equal ones the one at its place. The whole template where none has the kind. Undefined where nobody can tell, as
 * below a `range` or an `if`.
 */
function writersIn(
  template: string,
  written: readonly TextDocument[],
): (document: TextDocument) => TextDocument | undefined {
  const kindOf = ({ lines }: TextDocument): string | undefined => lines.find(isKind)?.text;
  const all = documentsIn(template);
  const writerOf = (document: TextDocument): TextDocument | undefined => {
    const kind = kindOf(document);
    const hasKind = ({ text }: Line): boolean => kind !== undefined && writesLine(text, kind);
    const ofKind = all.filter(({ lines }) => lines.some(hasKind));
    if (ofKind.length < 2) return ofKind[0] ?? { first: 0, lines: linesOf(template) };
    const wanted = contentOf(document.lines);
    const alike = ofKind.map(({ lines }) => linesAlike(wanted, lines));
    const most = Math.max(...alike);
    const [best, ...others] = ofKind.filter((_, index) => alike[index] === most);
    if (others.length === 0) return best;
    const ofSameKind = written.filter((each) => kindOf(each) === kind);
    return ofSameKind.length === ofKind.length ? ofKind[ofSameKind.indexOf(document)] : undefined;
  };
  const known = new Map<TextDocument, TextDocument | undefined>();
  return (document) => {
    if (!known.has(document)) known.set(document, writerOf(document));
    return known.get(document);
  };
}

/** The lines that are no comments and not empty. */
export const contentOf = (lines: readonly Line[]): readonly string[] =>
  lines.map(({ text }) => text).filter((text) => text !== '' && !text.startsWith('#'));

/** How many of some lines stand in a text, or have their key with a computed value there. */
export function linesAlike(wanted: readonly string[], lines: readonly Line[]): number {
  const texts = lines.map(({ text }) => text);
  const own = new Set(texts);
  const computed = new Set<string | undefined>(texts.filter(isComputed).map(itemKeyOf));
  return wanted.filter((line) => own.has(line) || computed.has(itemKeyOf(line))).length;
}

const EXPRESSION = '{{';

/** True for a line of the template that writes a rendered line, or computes the value of the same key. */
function writesLine(template: string, rendered: string): boolean {
  return template === rendered || computes(template, rendered);
}

function computes(template: string, rendered: string): boolean {
  return isComputed(template) && itemKeyOf(template) === itemKeyOf(rendered);
}

/** True for a key whose value the template computes. */
function isComputed(template: string): boolean {
  return itemKeyOf(template) !== undefined && template.includes(EXPRESSION, template.indexOf(':'));
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
  return itemKeyOf(text)?.replace(/^- /, '');
}

/** The key of a line, with the dash of a list item. */
function itemKeyOf(text: string): string | undefined {
  return /^((?:- )?[\w./-]+):(?: |$)/.exec(text)?.[1];
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

/** The lines of a document from its kind to a line, each with a smaller indentation than the next. */
function linesAbove(lines: readonly Line[], index: number): readonly Line[] {
  const document = lines.slice(0, index + 1);
  let least = Infinity;
  const above = document.toReversed().filter(({ indent, text }) => {
    if (text === '' || text.startsWith('#') || indent >= least) return false;
    least = indent;
    return true;
  });
  const kind = document.find(isKind);
  return [...(kind === undefined ? [] : [kind]), ...above.reverse()];
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** A list item counts as indented below its key, also when the dash is not. */
export function linesOf(text: string): readonly Line[] {
  return text.split('\n').map((line) => {
    const trimmed = line.trim();
    const indent = line.search(/\S/);
    return { indent: indent + (trimmed.startsWith('- ') ? 0.5 : 0), text: trimmed };
  });
}
