import { describe, expect, it } from 'vitest';
import { MUTED } from '../../../src/explain/drawing/colours.ts';
import { MARGIN, SHEET_WIDTH, Sheet } from '../../../src/explain/drawing/svg-sheet.ts';

/** What is drawn on a sheet, below its ground. */
function drawn(draw: (sheet: Sheet) => void): string[] {
  const sheet = new Sheet();
  draw(sheet);
  const lines = sheet.svg('Title', 'Words').split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('<rect width="960"')) + 1, -2);
}

const placesOf = (draw: (sheet: Sheet) => void): (string | undefined)[] =>
  drawn(draw).map((line) => / y="([\d.]+)"/.exec(line)?.[1]);
const textOf = (line = ''): string => />([^<]*)<\/text>/.exec(line)?.[1] ?? '';

describe('a sheet', () => {
  it('is as high as its content, with margins, and has words for who cannot see it', () => {
    const sheet = new Sheet();
    sheet.gap(10.2);
    const svg = sheet.svg('A "title"', 'Words & more');
    expect(svg.slice(0, svg.indexOf('<style>'))).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="67" viewBox="0 0 960 67" role="img" ' +
        'font-family="system-ui, -apple-system, &apos;Segoe UI&apos;, Roboto, &apos;DejaVu Sans&apos;, Arial, sans-serif">\n' +
        '<title>A &quot;title&quot;</title>\n<desc>Words &amp; more</desc>\n',
    );
    expect(svg).toContain('<rect width="960" height="67" class="paper" fill="#ffffff"/>\n</svg>\n');
    expect([MARGIN, SHEET_WIDTH]).toEqual([28, 904]);
  });

  it('has lines below each other', () =>
    expect(
      drawn((sheet) => {
        sheet.line('First <b>', { size: 20, weight: 700, fill: MUTED, after: 5 });
        sheet.line('Second', { size: 10 });
        sheet.line('Third\u001b', { size: 10 });
      }),
    ).toMatchInlineSnapshot(`
      [
        "<text x="28" y="48" font-size="20" font-weight="700" class="muted" fill="#5b6069">First &lt;b&gt;</text>",
        "<text x="28" y="68" font-size="10" font-weight="400" class="ink" fill="#1d2127">Second</text>",
        "<text x="28" y="80.5" font-size="10" font-weight="400" class="ink" fill="#1d2127">Third\\u001b</text>",
      ]
    `));

  it('cuts a line that is longer than the sheet is wide', () => {
    const [fits, cut] = drawn((sheet) => {
      sheet.line('x'.repeat(155), { size: 10 });
      sheet.line('x'.repeat(156), { size: 10 });
    });
    expect(textOf(fits)).toBe('x'.repeat(155));
    expect(textOf(cut)).toBe(`${'x'.repeat(154)}…`);
  });

  it('has paragraphs of even lines, with a gap after the last', () => {
    const text = Array.from({ length: 30 }, (_, index) => `word-${index}`).join(' ');
    const paragraph = (sheet: Sheet, after?: number): void =>
      sheet.paragraph(text, { size: 10, ...(after !== undefined && { after }) });
    const lines = drawn((sheet) => paragraph(sheet));
    expect(lines.map(textOf).join(' ')).toBe(text);
    expect(lines.length).toBe(2);
    const next = (after?: number) =>
      placesOf((sheet) => {
        paragraph(sheet, after);
        sheet.line('next', { size: 10 });
      });
    expect(next()).toEqual(['38', '50.5', '63']);
    expect(next(7)).toEqual(['38', '50.5', '70']);
  });

  it('has blocks from the edge that is reached, and rules between them', () => {
    const tops: number[] = [];
    const block = (height: number) => (top: number) => {
      tops.push(top);
      return { markup: `<g id="${height}"/>`, height };
    };
    const lines = drawn((sheet) => {
      sheet.block(block(30));
      sheet.rule();
      sheet.block(block(40));
      sheet.block(block(50));
    });
    expect(tops).toEqual([28, 86, 126]);
    expect(lines).toEqual([
      '<g id="30"/>',
      '<path d="M28 74.0 H932" class="rule-line" stroke="#c9ced6" stroke-width="1"/>',
      '<g id="40"/>',
      '<g id="50"/>',
    ]);
  });
});
