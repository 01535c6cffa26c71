import { jsonText } from '../../base/text/json-text.ts';
import { visible } from '../../base/text/visible.ts';
import type { ShownFigures } from '../../observer/starts/profile-status.ts';

/** The starts of one container. */
export interface StartsRow extends ShownFigures {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  readonly container: string;
  /** `profile`: the observer measured the starts. `pods`: one look at Pods tells them. */
  readonly source: 'profile' | 'pods';
}

const COLUMNS = ['NAMESPACE', 'WORKLOAD', 'CONTAINER', 'STARTS', 'P50', 'P90', 'MAX', 'BUDGET'] as const;

/** One object for programs. Times are in seconds. */
export function startsAsJson(rows: readonly StartsRow[]): string {
  return `${jsonText({ starts: rows }, undefined, 2)}\n`;
}

/** A table as `kubectl get` prints one. */
export function startsAsText(rows: readonly StartsRow[]): string {
  if (rows.length === 0) return 'No start times are known. The observer measures them (docs/learned.md).\n';
  const table = [
    [...COLUMNS],
    ...rows.map((row) =>
      [
        row.namespace,
        row.kind === '' ? row.name : `${row.kind}/${row.name}`,
        row.container,
        String(row.starts),
        seconds(row.p50Seconds),
        seconds(row.p90Seconds),
        seconds(row.maxSeconds),
        seconds(row.budgetSeconds),
      ].map((cell) => visible(cell)),
    ),
  ];
  const widths = COLUMNS.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

function seconds(value: number | undefined): string {
  return value === undefined ? '-' : `${value} s`;
}
