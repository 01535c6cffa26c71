import { LIFE_ORDER, OWN_PROBE } from '../timeline/explained-probes.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type { Markup } from '../../base/text/xml.ts';
import type { CoverageView } from './page-view.ts';
import type { ReportedWorkload } from './report.ts';

/** Application containers and native sidecars: the containers that may have probes. */
export function containersOf(workloads: readonly ReportedWorkload[]): readonly ContainerExplanation[] {
  return workloads.flatMap(({ explanation }) => explanation.containers);
}

/** How many containers have each probe of their own, and how many get it from policies. */
export function coverageViews(workloads: readonly ReportedWorkload[]): CoverageView[] {
  const containers = containersOf(workloads);
  if (containers.length === 0) return [];
  return LIFE_ORDER.map((kind) => {
    const found = containers.flatMap(({ probes }) => probes.filter((probe) => probe.kind === kind));
    const own = found.filter(({ from }) => from === OWN_PROBE).length;
    const given = found.length - own;
    const missing = containers.length - found.length;
    return { probe: kind, own, given, missing, bar: bar([own, given, missing]) };
  });
}

const CLASSES = ['own', 'given', 'missing'];

/** The shares as one bar, for the eye only: the cells before it have the numbers. */
function bar(numbers: readonly number[]): Markup {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  let left = 0;
  const parts = numbers.map((number, index) => {
    const width = Math.round((number / total) * 1000);
    const part = width === 0 ? '' : `<path class=${CLASSES[index] ?? ''} d="M${left} 0h${width}v10h-${width}z"/>`;
    left += width;
    return part;
  });
  return `<svg viewBox="0 0 1000 10" preserveAspectRatio=none aria-hidden=true>${parts.join('')}</svg>`;
}
