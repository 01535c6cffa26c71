import { legendBlock } from './svg-legend.ts';
import { MUTED } from './svg-colours.ts';
import { drawRow, drawRowHeads } from './svg-row.ts';
import { MARGIN, Sheet, TEXT_WIDTH } from './svg-sheet.ts';
import { workloadTitle } from './workload-title.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';

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
  sheet.block((top) => legendBlock(containers, MARGIN, TEXT_WIDTH, top));
  return sheet.svg(title, workloads.map(workloadTitle).join(', '));
}
