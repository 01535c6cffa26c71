import type { Position } from '../../yaml/reading/documents.ts';

/**
 * Finds lines of a rendered text in the template. A rendered line and the keys above the line are looked up in the
 * template, in order, from the document's `kind` down. The last line that is found is the place: the field itself, or
 * the nearest key above the field that is not computed. Without such a line, the place is the template's start.
 */
export class TemplatePlaces {
  readonly #template: readonly Line[];
  readonly #rendered: readonly Line[];

  constructor(template: string, rendered: string) {
    this.#template = linesOf(template);
    this.#rendered = linesOf(rendered);
  }

  place({ line }: Position): Position {
    let found = -1;
    for (const wanted of this.#keysAbove(line - 1)) {
      const next = this.#template.findIndex(({ text }, index) => index > found && text === wanted);
      if (next >= 0) found = next;
    }
    return { line: Math.max(found, 0) + 1, column: (this.#template[found]?.indent ?? 0) + 1 };
  }

  /** The texts of the document's `kind`, of the lines that contain a line, and of the line itself. */
  #keysAbove(index: number): readonly string[] {
    const texts: string[] = [];
    let indent = Infinity;
    let at = Math.min(index, this.#rendered.length - 1);
    for (; at >= 0; at -= 1) {
      const line = this.#rendered[at];
      if (line === undefined || line.text === '---') break;
      if (line.text === '' || line.text.startsWith('#') || line.indent >= indent) continue;
      indent = line.indent;
      texts.push(line.text);
    }
    const kind = this.#rendered
      .slice(at + 1, index + 1)
      .find(({ indent: own, text }) => own === 0 && /^kind:/.test(text));
    return [...(kind === undefined ? [] : [kind.text]), ...texts.reverse()];
  }
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
