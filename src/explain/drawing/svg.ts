import { cut } from '../../base/text/cut.ts';
import { escapeXml, visible } from '../../base/text/visible.ts';
import { probeTimes } from '../timeline/explained-probes.ts';
import { axisBlock, laneBlock, narrowFrame, startsBlock, wideFrame } from './svg-lane.ts';
import { INK, MUTED, RED, filled } from './colours.ts';
import { averageWidth, element, textElement, type Block } from './svg-elements.ts';
import { MARGIN, Sheet, SHEET_WIDTH } from './svg-sheet.ts';
import { legendBlock } from './svg-legend.ts';
import { workloadTitle } from '../timeline/explanation.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from '../timeline/explanation.ts';
import type { Scene } from '../timeline/scene.ts';

/** Workloads with more containers get a row for each, so that twelve containers fit two screens. */
const MOST_IN_FULL = 3;

/** One workload as a self-contained SVG picture: no script, no font, no other file. */
export function explanationAsSvg(workload: WorkloadExplanation): string {
  const { name, kind, namespace, place, containers, notInjected, exceptions = [], lacking } = workload;
  const sheet = new Sheet();
  sheet.line(name, { size: 20, weight: 700, after: 4 });
  sheet.line(`${kind} in namespace ${namespace}, ${place}`, { size: 12, fill: MUTED, after: 10 });
  if (lacking !== undefined) sheet.paragraph(lacking, { size: 12, fill: RED, after: 10 });
  if (containers.length > MOST_IN_FULL) {
    drawRowHeads(sheet);
    for (const container of containers) drawRow(sheet, container);
  } else for (const container of containers) drawContainer(sheet, container);
  sheet.rule();
  sheet.block((top) => legendBlock(containers, MARGIN, SHEET_WIDTH, top));
  for (const [title, texts] of [
    ['Why policies added no other probes', notInjected],
    ['Exceptions', exceptions],
  ] as const) {
    if (texts.length === 0) continue;
    sheet.gap(14);
    sheet.line(title, { size: 14, weight: 700, after: 4 });
    for (const text of texts) sheet.paragraph(`- ${text}`, { size: 12, after: 3 });
  }
  sheet.gap(10);
  sheet.paragraph(FOOTNOTE, { size: 11, fill: MUTED });
  const description = containers.map((container) => `${container.name}: ${container.headline}`).join(' ');
  return sheet.svg(`${kind} ${namespace}/${name}`, description);
}

const FOOTNOTE =
  'All times are bounds that follow from the kubelet’s source. ' +
  'The kubelet may notice the start of a container up to 2 s late.';

function drawContainer(sheet: Sheet, container: ContainerExplanation): void {
  sheet.rule();
  const role = container.role === 'sidecar' ? ' (native sidecar)' : '';
  sheet.line(`${container.name}${role}`, { size: 16, weight: 700, after: 4 });
  sheet.paragraph(container.headline, { size: 14, weight: 600, after: 6 });
  for (const caveat of container.caveats) sheet.paragraph(caveat, { size: 12, fill: RED, after: 4 });
  if (container.probes.length === 0) sheet.line('It has no probes.', { size: 12, fill: MUTED, after: 2 });
  for (const probe of container.probes) sheet.paragraph(probeText(probe), { size: 12, fill: MUTED, after: 3 });
  for (const scene of container.scenes) drawScene(sheet, scene);
}

function probeText({ kind, handler, from, letters }: ProbeExplanation): string {
  return `${kind}: ${cut(visible(handler), 60, '…')}, ${probeTimes(letters)}. From ${from}.`;
}

function drawScene(sheet: Sheet, scene: Scene): void {
  const frame = wideFrame(scene);
  sheet.gap(14);
  sheet.line(`${scene.title} (${scene.origin})`, { size: 14, weight: 700, after: 2 });
  for (const lane of scene.lanes) {
    sheet.block((top) => laneBlock(lane, frame, top));
    sheet.gap(6);
  }
  const { starts, end } = scene;
  if (starts !== undefined) {
    sheet.block((top) => startsBlock(starts, end, frame, top));
    sheet.gap(4);
  }
  sheet.block((top) => axisBlock(frame, top));
}

/** Several workloads in one picture, with a row for each container. */
export function overviewAsSvg(workloads: readonly WorkloadExplanation[]): string {
  const sheet = new Sheet();
  const containers = workloads.flatMap((workload) => workload.containers);
  const title = `${workloads.length} workloads, ${containers.length} containers`;
  sheet.line(title, { size: 20, weight: 700, after: 10 });
  drawRowHeads(sheet);
  for (const workload of workloads) {
    sheet.rule();
    sheet.line(workloadTitle(workload), { size: 13, weight: 600, fill: MUTED });
    for (const container of workload.containers) drawRow(sheet, container);
  }
  sheet.rule();
  sheet.block((top) => legendBlock(containers, MARGIN, SHEET_WIDTH, top));
  return sheet.svg(title, workloads.map(workloadTitle).join(', '));
}

const GUTTER = 28;
const LENGTH = (SHEET_WIDTH - GUTTER) / 2;
const LEFTS = [MARGIN, MARGIN + LENGTH + GUTTER];

function drawRowHeads(sheet: Sheet): void {
  const style = { 'font-size': 12, 'font-weight': 700, ...filled(MUTED) };
  const texts = ['From the start of the container', 'From the moment when it hangs or fails'];
  const markup = (top: number): string =>
    texts.map((text, index) => textElement(LEFTS[index] ?? MARGIN, top + 12, text, style)).join('');
  sheet.block((top) => ({ markup: markup(top), height: 14 }));
  const below =
    'Upper bars: the container. Lower bars: its traffic. Numbers are seconds after the moment above. ' +
    'Each half of a row has its own scale.';
  sheet.line(below, { size: 11, fill: MUTED, after: 6 });
}

/** A container in a row: name and headline, and both scenes beside each other. */
function drawRow(sheet: Sheet, { name, headline, caveats, scenes }: ContainerExplanation): void {
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
  const fitting = Math.floor(SHEET_WIDTH / averageWidth(12)) - Math.ceil(Array.from(label).length * 1.3);
  const bold = element('tspan', { 'font-size': 14, 'font-weight': 700 }, escapeXml(label));
  const text = element('tspan', { dx: 10 }, escapeXml(cut(headline, fitting, '…')));
  const line = element('text', { x: MARGIN, y: top + 13, 'font-size': 12, ...filled(INK) }, bold, text);
  return { markup: line, height: 17 };
}
