import { cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { escapeXml } from '../../base/text/xml.ts';
import { laneBlock } from './svg-lane.ts';
import { filled, INK, MUTED, RED } from './svg-colours.ts';
import { averageWidth, element, textAt } from './svg-elements.ts';
import { narrowFrame } from './svg-frame.ts';
import { startsBlock } from './svg-starts.ts';
import { MARGIN, TEXT_WIDTH } from './svg-sheet.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type { Block } from './svg-elements.ts';
import type { Sheet } from './svg-sheet.ts';

/** Pixels between the two scenes of a row. */
const GUTTER = 28;
const LENGTH = (TEXT_WIDTH - GUTTER) / 2;
const LEFTS = [MARGIN, MARGIN + LENGTH + GUTTER];

/** The heads of the two columns of rows. */
export function drawRowHeads(sheet: Sheet): void {
  const style = { 'font-size': 12, 'font-weight': 700, ...filled(MUTED) };
  const texts = ['From the start of the container', 'From the moment when it hangs or fails'];
  const markup = (top: number): string =>
    texts.map((text, index) => textAt(LEFTS[index] ?? MARGIN, top + 12, text, style)).join('');
  sheet.block((top) => ({ markup: markup(top), height: 14 }));
  const below = 'Upper bars: the container. Lower bars: its traffic. Numbers are seconds after the moment above.';
  sheet.line(below, { size: 11, fill: MUTED, after: 6 });
}

/** A container in a row: name and headline, and both scenes beside each other. */
export function drawRow(sheet: Sheet, { name, headline, caveats, scenes }: ContainerExplanation): void {
  sheet.gap(10);
  sheet.block((top) => headBlock(name, headline, top));
  for (const caveat of caveats) sheet.paragraph(caveat, { size: 11, fill: RED });
  sheet.block((top) => {
    const blocks = scenes.map((scene, index) => {
      const frame = narrowFrame(scene, LEFTS[index] ?? MARGIN, LENGTH);
      let y = top;
      const markup = scene.lanes.map((lane) => {
        const block = laneBlock(lane, frame, y);
        y += block.height + 1;
        return block.markup;
      });
      const { starts, end } = scene;
      if (starts === undefined) return { markup: markup.join('\n'), height: y - top };
      const dots = startsBlock(starts, end, frame, y + 1);
      return { markup: [...markup, dots.markup].join('\n'), height: y + 1 + dots.height - top };
    });
    const height = Math.max(0, ...blocks.map((block) => block.height));
    return { markup: blocks.map(({ markup }) => markup).join('\n'), height };
  });
}

function headBlock(name: string, headline: string, top: number): Block {
  const label = cut(visible(name), 40, '…');
  const fitting = Math.floor(TEXT_WIDTH / averageWidth(12)) - Math.ceil(Array.from(label).length * 1.3);
  const bold = element('tspan', { 'font-size': 14, 'font-weight': 700 }, escapeXml(label));
  const text = element('tspan', { dx: 10 }, escapeXml(cut(headline, fitting, '…')));
  const line = element('text', { x: MARGIN, y: top + 13, 'font-size': 12, ...filled(INK) }, bold, text);
  return { markup: line, height: 17 };
}
