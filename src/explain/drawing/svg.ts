import { cut } from '../../base/text/cut.ts';
import { visible } from '../../base/text/visible.ts';
import { probeTimes } from '../timeline/probe-times.ts';
import { axisBlock } from './svg-axis.ts';
import { MUTED, RED } from './svg-colours.ts';
import { wideFrame } from './svg-frame.ts';
import { laneBlock } from './svg-lane.ts';
import { legendBlock } from './svg-legend.ts';
import { drawRow, drawRowHeads } from './svg-row.ts';
import { startsBlock } from './svg-starts.ts';
import { MARGIN, Sheet, TEXT_WIDTH } from './svg-sheet.ts';
import type { ContainerExplanation, ProbeExplanation, WorkloadExplanation } from '../timeline/explanation.ts';
import type { Scene } from '../timeline/scene.ts';

/** Workloads with more containers get a row for each, so that twelve containers fit two screens. */
const MOST_IN_FULL = 3;

/** One workload as a self-contained SVG picture: no script, no font, no other file. */
export function explanationAsSvg(workload: WorkloadExplanation): string {
  const { name, kind, namespace, place, containers, notInjected, exceptions = [] } = workload;
  const sheet = new Sheet();
  sheet.line(name, { size: 20, weight: 700, after: 4 });
  sheet.line(`${kind} in namespace ${namespace}, ${place}`, { size: 12, fill: MUTED, after: 10 });
  if (containers.length > MOST_IN_FULL) {
    drawRowHeads(sheet);
    for (const container of containers) drawRow(sheet, container);
  } else for (const container of containers) drawContainer(sheet, container);
  sheet.rule();
  sheet.block((top) => legendBlock(containers, MARGIN, TEXT_WIDTH, top));
  if (notInjected.length > 0) {
    sheet.gap(14);
    sheet.line('Why policies added no other probes', { size: 14, weight: 700, after: 4 });
    for (const reason of notInjected) sheet.paragraph(`- ${reason}`, { size: 12, after: 3 });
  }
  if (exceptions.length > 0) {
    sheet.gap(14);
    sheet.line('Exceptions', { size: 14, weight: 700, after: 4 });
    for (const exception of exceptions) sheet.paragraph(`- ${exception}`, { size: 12, after: 3 });
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
