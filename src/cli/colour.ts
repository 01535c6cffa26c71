import type { CommandIo } from './io.ts';

/** Values of `--color`. */
export const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;
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
export type Paint = (style: Style, text: string) => string;

/** A paint without colours. */
export const PLAIN: Paint = (_style, text) => text;

const COLOURED: Paint = (style, text) => (text === '' ? '' : `\u001b[${STYLES[style]}m${text}\u001b[0m`);

/**
 * Returns the paint for standard output. `auto` means colours on a terminal, unless the variable NO_COLOR is set
 * (no-color.org) or the terminal is `dumb`. A flag overrides the variable.
 */
export function paintFor(choice: ColourChoice, { env, stdoutColumns }: CommandIo): Paint {
  if (choice === 'always') return COLOURED;
  if (choice === 'never' || stdoutColumns === undefined) return PLAIN;
  return (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb' ? PLAIN : COLOURED;
}
