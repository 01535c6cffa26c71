import { outputLine, visible } from '../base/text/visible.ts';
import { wrap } from '../base/text/wrap.ts';
import type { Paint, Style } from './colour.ts';

/** Standard output, for output that people read. */
export interface Screen {
  /** Undefined when standard output is no terminal: then no line is wrapped. */
  readonly columns: number | undefined;
  readonly paint: Paint;
}

/** A text that is set in lines. */
export interface Paragraph {
  readonly text: string;
  /** Columns to the left of every line. */
  readonly indent?: number;
  readonly style?: Style;
  /** The label before the text on its first line. Further lines begin below the text, unless the label is long. */
  readonly label?: { readonly text: string; readonly style: Style };
  /** Splits the text into lines: by words by default. */
  readonly split?: (text: string, width: number) => string[];
}

/** Fewer columns make no readable lines. The terminal then wraps the lines itself. */
const FEWEST_COLUMNS = 12;

/** Sets a text in lines that fit the screen. Hidden characters become visible before styles are added. */
export function paragraph(screen: Screen, { text, indent = 0, style, label, split = wrap }: Paragraph): string[] {
  const left = indent + (label === undefined ? 0 : label.text.length);
  const shown = visible(text);
  const lines = screen.columns === undefined ? [shown] : split(shown, Math.max(screen.columns - left, FEWEST_COLUMNS));
  return lines.map((line, index) => {
    // Without an indent, the line begins with the text, and GitHub must not read the text as a command.
    const content = style === undefined ? outputLine(line) : screen.paint(style, outputLine(line));
    if (label === undefined || index > 0) return ' '.repeat(left) + content;
    return ' '.repeat(indent) + screen.paint(label.style, label.text) + content;
  });
}
