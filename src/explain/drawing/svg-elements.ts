import { escapeXml, type Markup } from '../../base/text/visible.ts';

/** Attributes of an element; absent ones are left out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element with the children given, which are markup already. */
export function element(name: string, attributes: Attributes, ...children: readonly Markup[]): Markup {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escapeXml(value ?? '')}"`)
    .join('');
  return children.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${children.join('')}</${name}>`;
}

/** A line of text at a point of its base line, in pixels. */
export function textElement(x: number, y: number, text: string, attributes: Attributes = {}): Markup {
  return element('text', { x, y, ...attributes }, escapeXml(text));
}

/** A whole picture of this size in pixels. A picture has no script and needs no other file. */
export function picture(
  { width, height, ...attributes }: Attributes & { readonly width: number; readonly height: number },
  parts: readonly Markup[],
): Markup {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const root = { xmlns: 'http://www.w3.org/2000/svg', ...size, role: 'img', ...attributes };
  return `${element('svg', root, ...parts.map((part) => `\n${part}`), '\n')}\n`;
}

/** A tenth of a pixel is finer than a screen. */
const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/** Pixels that a line of text may take. Fonts differ: this is the width of a wide one (DejaVu Sans). */
export function textWidth(text: string, fontSize: number): number {
  return Array.from(text).length * fontSize * 0.61;
}

/** Pixels that a character of running text takes on average, in the same font; short labels can be wider than that. */
export function averageWidth(fontSize: number): number {
  return fontSize * 0.58;
}

/** Part of the picture, and how much height it takes in pixels. */
export interface Block {
  readonly markup: Markup;
  readonly height: number;
}
