import { cut } from '../text/cut.ts';
import { visible } from '../text/visible.ts';
import { wrap } from '../text/wrap.ts';
import { segmentTimes } from './segment-times.ts';
import { axisBlock } from './svg-axis.ts';
import { FILLS, INK, MUTED, RED } from './svg-colours.ts';
import { averageWidth, element, textAt } from './svg-elements.ts';
import { laneBlock } from './svg-lane.ts';
import { MARGIN, Sheet, TEXT_WIDTH } from './svg-sheet.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from '../timeline/explanation.ts';
import type { Lane, Scene } from '../timeline/scene.ts';

/** One workload as a self-contained SVG picture: no script, no font, no other file. */
export function explanationAsSvg(workload: WorkloadExplanation): string {
  const sheet = new Sheet();
  const title = `${workload.kind} ${workload.namespace}/${workload.name}`;
  sheet.line(title, { size: 20, weight: 700, after: 6 });
  sheet.line(workload.place, { size: 12, fill: MUTED, after: 10 });
  for (const container of workload.containers) drawContainer(sheet, container);
  if (workload.notInjected.length > 0) {
    sheet.gap(14);
    sheet.line('Why it got no other probes', { size: 14, weight: 700, after: 4 });
    for (const reason of workload.notInjected) sheet.paragraph(`- ${reason}`, { size: 12, after: 3 });
  }
  sheet.gap(12);
  sheet.paragraph(FOOTNOTE, { size: 11, fill: MUTED });
  const description = workload.containers.map(({ name, headline }) => `${name}: ${headline}`).join(' ');
  return sheet.svg(title, description);
}

const FOOTNOTE =
  'Times are the bounds of the kubelet’s own arithmetic. ' +
  'It may notice the start of a container up to 2 s late, which shifts the axis of the start by as much. ' +
  'Two slanted lines in a bar: time is left out there.';

function drawContainer(sheet: Sheet, container: ContainerExplanation): void {
  sheet.rule();
  const role = container.role === 'sidecar' ? 'native sidecar' : 'container';
  sheet.line(`${role} ${container.name}`, { size: 16, weight: 700, after: 6 });
  sheet.paragraph(container.headline, { size: 14, weight: 600, fill: INK, after: 6 });
  for (const caveat of container.caveats) sheet.paragraph(`Caution: ${caveat}`, { size: 12, fill: RED, after: 4 });
  if (container.probes.length === 0) sheet.line('It has no probes.', { size: 12, fill: MUTED, after: 2 });
  for (const probe of container.probes) sheet.paragraph(probeText(probe), { size: 12, fill: MUTED, after: 3 });
  for (const scene of container.scenes) drawScene(sheet, scene);
}

function probeText({ kind, handler, from, letters }: ProbeExplanation): string {
  const { D = 0, P = 0, T = 0, F = 0, S = 1 } = letters;
  const times = [
    ...(D > 0 ? [`after ${D} s`] : []),
    `every ${P} s`,
    `${T} s to answer`,
    F === 1 ? 'one failure is enough' : `${F} failures in a row`,
    ...(S > 1 ? [`${S} successes to pass`] : []),
  ];
  return `${kind} from ${from}: ${cut(visible(handler), 60, '…')}, ${times.join(', ')}`;
}

function drawScene(sheet: Sheet, scene: Scene): void {
  sheet.gap(16);
  sheet.line(`${scene.title}  (${scene.origin})`, { size: 14, weight: 700, after: 2 });
  for (const lane of scene.lanes) {
    sheet.block((top) => laneBlock(lane, scene.end, top));
    sheet.gap(6);
  }
  sheet.block((top) => axisBlock(scene.end, top));
  for (const lane of scene.lanes) drawCaptions(sheet, lane);
}

/** What each stretch of a lane means, beside its colour. */
function drawCaptions(sheet: Sheet, lane: Lane): void {
  sheet.gap(4);
  sheet.line(lane.title, { size: 12, weight: 700, after: 2 });
  for (const segment of lane.segments) {
    const isStop = segment.tone === 'stopping' && segment.from === lane.stopAt;
    sheet.block((top) => {
      const lines = wrap(`${segmentTimes(segment)}: ${segment.caption}`, CAPTION_CHARACTERS);
      const swatch = element('rect', { x: MARGIN, y: top + 2, width: 16, height: 12, fill: FILLS[segment.tone] });
      const marker = element('rect', { x: MARGIN, y: top + 1, width: 3, height: 14, fill: RED });
      const texts = lines.map((line, index) =>
        textAt(MARGIN + 24, top + 12 + index * 16, line, { 'font-size': 12, fill: INK }),
      );
      return { markup: [swatch, ...(isStop ? [marker] : []), ...texts].join(''), height: lines.length * 16 + 1 };
    });
  }
}

const CAPTION_CHARACTERS = Math.floor((TEXT_WIDTH - 24) / averageWidth(12));
