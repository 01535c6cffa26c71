import { element, picture, textElement } from '../../src/explain/drawing/svg-elements.ts';
import { wrap } from '../../src/base/text/wrap.ts';
import { escapeXml } from '../../src/base/text/visible.ts';

/** How a line looks: a command that a person types, output, or a line of a diff. */
export type LineStyle = 'command' | 'output' | 'error' | 'added' | 'removed' | 'muted';

/** A line of a terminal. */
export interface TerminalLine {
  readonly style: LineStyle;
  readonly text: string;
}

/** Characters in a line; longer lines are wrapped. */
const COLUMNS = 104;
const SIZE = 13;
/** Width of a character in the fonts below, as a share of the size. */
const ADVANCE = 0.602;
const ROW = 18;
const PADDING = 16;
const WIDTH = Math.ceil(COLUMNS * SIZE * ADVANCE) + 2 * PADDING;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";

/** Colours in light mode, which stand in attributes, and in dark mode, which a style sheet sets. */
const COLOURS: Readonly<Record<LineStyle, readonly [light: string, dark: string]>> = {
  command: ['#0b57d0', '#79b8ff'],
  output: ['#1d2127', '#e6edf3'],
  error: ['#b3121d', '#ff7b72'],
  added: ['#116329', '#7ee787'],
  removed: ['#b3121d', '#ff7b72'],
  muted: ['#5b6069', '#9aa4b1'],
};
const PAGE = ['#f6f8fa', '#161b22'] as const;
const EDGE = ['#d0d7de', '#30363d'] as const;

/** A terminal with these lines, as a picture without script, font or other file. */
export function terminalSvg(title: string, lines: readonly TerminalLine[]): string {
  const rows = lines.flatMap(({ style, text }) => wrapped(text).map((row) => ({ style, row })));
  const height = rows.length * ROW + 2 * PADDING;
  const dark = Object.entries(COLOURS).map(([name, [, colour]]) => `.${name}{fill:${colour}}`);
  const sheet = [...dark, `.page{fill:${PAGE[1]};stroke:${EDGE[1]}}`].join('');
  const page = { x: 0.5, y: 0.5, width: WIDTH - 1, height: height - 1, rx: 6, class: 'page' };
  const parts = [
    element('title', {}, escapeXml(title)),
    element('style', {}, `@media (prefers-color-scheme:dark){${sheet}}`),
    element('rect', { ...page, fill: PAGE[0], stroke: EDGE[0] }),
    ...rows.map(({ style, row }, index) =>
      textElement(PADDING, PADDING + index * ROW + SIZE, row, {
        class: style,
        fill: COLOURS[style][0],
        'font-weight': style === 'command' ? 700 : undefined,
        'xml:space': 'preserve',
      }),
    ),
  ];
  return picture({ width: WIDTH, height, 'font-family': FONT, 'font-size': SIZE }, parts);
}

/** The rows of a line. Only lines that are too long are wrapped, so all others keep their spaces. */
function wrapped(text: string): string[] {
  return text.length <= COLUMNS ? [text] : wrap(text, COLUMNS);
}
