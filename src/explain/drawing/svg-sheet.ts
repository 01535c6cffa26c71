import { cut } from '../../base/text/cut.ts';
import { escapeXml, visible, type Markup } from '../../base/text/visible.ts';
import { wrapEvenly } from '../../base/text/wrap.ts';
import { definitions, filled, INK, PAPER, RULE, stroked, type Paint } from './colours.ts';
import { averageWidth, element, picture, textElement, type Block } from './svg-elements.ts';

const WIDTH = 960;
export const MARGIN = 28;
/** Width between the margins, in pixels. */
export const SHEET_WIDTH = WIDTH - 2 * MARGIN;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif";

/** How a line of text looks; sizes in pixels. */
export interface LineStyle {
  readonly size: number;
  readonly weight?: number;
  readonly fill?: Paint;
  readonly after?: number;
}

export class Sheet {
  readonly #parts: Markup[] = [];
  #y = MARGIN;

  gap(pixels: number): void {
    this.#y += pixels;
  }

  /** One line, cut when it is longer than the page is wide. */
  line(text: string, { size, weight = 400, fill = INK, after = 0 }: LineStyle): void {
    const fitting = Math.floor(SHEET_WIDTH / averageWidth(size));
    const line = cut(visible(text), fitting, '…');
    this.#parts.push(
      textElement(MARGIN, this.#y + size, line, { 'font-size': size, 'font-weight': weight, ...filled(fill) }),
    );
    this.#y += size * 1.25 + after;
  }

  paragraph(text: string, style: LineStyle): void {
    const lines = wrapEvenly(visible(text), Math.floor(SHEET_WIDTH / averageWidth(style.size)));
    for (const line of lines) this.line(line, { ...style, after: 0 });
    this.gap(style.after ?? 0);
  }

  /** A part of the picture, drawn from the given upper edge on. */
  block(draw: (top: number) => Block): void {
    const { markup, height } = draw(this.#y);
    this.#parts.push(markup);
    this.#y += height;
  }

  rule(): void {
    this.gap(16);
    const d = `M${MARGIN} ${this.#y.toFixed(1)} H${WIDTH - MARGIN}`;
    this.#parts.push(element('path', { d, ...stroked(RULE), 'stroke-width': 1 }));
    this.gap(12);
  }

  /** The finished picture. The description is for readers that cannot see it. */
  svg(title: string, description: string): string {
    const height = Math.ceil(this.#y + MARGIN);
    const children = [
      element('title', {}, escapeXml(title)),
      element('desc', {}, escapeXml(description)),
      definitions(),
      element('rect', { width: WIDTH, height, ...filled(PAPER) }),
      ...this.#parts,
    ];
    return picture({ width: WIDTH, height, 'font-family': FONT }, children);
  }
}
