import { visible } from '../../base/text/visible.ts';
import { cut } from '../../base/text/cut.ts';
import { figureOf } from '../timeline/figure.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type { FigureId } from '../timeline/figure.ts';

const HEADS = ['', 'guaranteed to start', 'to restart', 'kill begins by', 'dead by', 'hanging: dead by', 'NotReady by'];

/** Longest name in the table. */
const NAME_COLUMNS = 32;

/**
 * A table with one row for each container, so that a workload of many containers fits one screen. Nothing for a single
 * container: its headline says the same.
 */
export function overviewLines(containers: readonly ContainerExplanation[]): string[] {
  if (containers.length < 2) return [];
  const rows = [HEADS, ...containers.map(rowOf)];
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  );
  return [...lines.map((line) => `  ${line}`), ''];
}

/** The latest moments of a container; never, where no probe has that effect. */
function rowOf({ name, figures }: ContainerExplanation): string[] {
  const latest = (id: FigureId): string => {
    const span = figureOf(figures, id)?.span;
    return span === undefined ? 'never' : `${span.latest} s`;
  };
  const start = figureOf(figures, 'time-to-start')?.span;
  const restart = figureOf(figures, 'time-to-restart')?.span ?? start;
  return [
    cut(visible(name), NAME_COLUMNS, '…'),
    start === undefined ? 'no limit' : `${start.earliest} s`,
    restart === undefined ? 'no limit' : `${restart.earliest} s`,
    latest('never-healthy-stop'),
    latest('never-healthy-dead'),
    latest('deadlock-dead'),
    latest('not-ready'),
  ];
}
