import { withDefault } from '../flags/flag.ts';
import { choice } from '../flags/value-types.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import { wrap } from '../../base/text/wrap.ts';
import type { CommandIo } from '../io.ts';

const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColourChoice = (typeof COLOUR_CHOICES)[number];

/**
 * Select Graphic Rendition parameters by what a text is. Only the 16 basic colours: the terminal's theme decides what
 * they look like, on light and on dark backgrounds.
 */
const STYLES = {
  error: '1;31',
  warning: '1;33',
  note: '1;36',
  heading: '1',
  faint: '2',
  added: '32',
  removed: '31',
} as const;
export type Style = keyof typeof STYLES;

/** Gives a text a style. The text must be visible already (src/base/text/visible.ts). */
export type ApplyStyle = (style: Style, text: string) => string;

export const PLAIN: ApplyStyle = (_style, text) => text;

const COLOURED: ApplyStyle = (style, text) => (text === '' ? '' : `\u001b[${STYLES[style]}m${text}\u001b[0m`);

/**
 * Returns the paint for standard output. `auto` means colours on a terminal, unless the variable NO_COLOR is set
 * (no-color.org) or the terminal is `dumb`. A flag overrides the variable.
 */
export function paintFor(choice: ColourChoice, { env, stdoutColumns }: CommandIo): ApplyStyle {
  if (choice === 'always') return COLOURED;
  if (choice === 'never' || stdoutColumns === undefined) return PLAIN;
  return (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb' ? PLAIN : COLOURED;
}

export interface Screen {
  /** Undefined when standard output is no terminal: then no line is wrapped. */
  readonly columns: number | undefined;
  readonly paint: ApplyStyle;
}

/** The screen of standard output. */
export function screenOf(choice: ColourChoice, io: CommandIo): Screen {
  return { columns: io.stdoutColumns, paint: paintFor(choice, io) };
}

interface Paragraph {
  readonly text: string;
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

/** The flag of each command whose text has colours on a terminal. */
export const COLOUR_FLAG = withDefault(choice(COLOUR_CHOICES), 'auto', 'Colours in text output.', {
  details: 'auto means: on a terminal, unless the environment variable NO_COLOR is set.',
});
