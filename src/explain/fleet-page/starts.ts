import { figureOf } from '../timeline/figure.ts';
import type { StripContainer } from '../drawing/start-strip.ts';
import type { WorkloadExplanation } from '../timeline/explanation.ts';
import type { ReportedWorkload } from './report.ts';

/** The content of a workload's strip, by container. */
export function stripContainers({ explanation, learned }: ReportedWorkload): StripContainer[] {
  return explanation.containers.map(({ name, figures }) => {
    const span = figureOf(figures, 'time-to-start')?.span;
    return {
      name,
      start: span && { guaranteed: span.earliest, longest: span.latest },
      learned: learned.get(name) ?? [],
    };
  });
}

/** The shortest time to start that a container of a workload is guaranteed. */
export function shortestGuarantee({ containers }: WorkloadExplanation): {
  /** False when no probe limits the start of any container. */
  readonly limited: boolean;
  readonly guaranteed: number;
} {
  let guaranteed = Infinity;
  for (const { figures } of containers)
    guaranteed = Math.min(guaranteed, figureOf(figures, 'time-to-start')?.span.earliest ?? Infinity);
  return { limited: guaranteed !== Infinity, guaranteed };
}
