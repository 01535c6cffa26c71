import { cut } from '../../base/text/cut.ts';
import { utf8Length } from '../../base/text/utf8.ts';
import { workload } from './compiled-page.ts';
import { otherChecks, rowView } from './row-view.ts';
import { levelOf } from './verdicts.ts';
import type { Markup } from '../../base/text/xml.ts';
import type { FindingView, RowView } from './page-view.ts';
import type { ReportedWorkload } from './report.ts';
import type { SceneDrawings } from './scene-drawings.ts';

/** Bytes that rows and drawings may have together: for each workload, and for a page of up to 1,000 workloads. */
const BUDGET_OF_WORKLOAD = 2_700;
const LEAST_BUDGET = 1_000 * BUDGET_OF_WORKLOAD;
/** Findings of a row in brief. */
const BRIEF_FINDINGS = 1;
const BRIEF_POLICIES = 3;
/** Longest text of a shortest row, in characters. So even a row of hostile names keeps to the budget of a workload. */
const SHORTEST_TEXT = 100;

/**
 * The rows of a page. The page has a budget in bytes: a fleet of thousands of bad workloads, or one hostile manifest,
 * must not make a page that no browser opens. The worst workloads get their full rows first. When the budget is used
 * up, rows are brief, and say so.
 */
export function rowsOf(
  workloads: readonly ReportedWorkload[],
  drawings: SceneDrawings,
  most = Infinity,
): Map<ReportedWorkload, Markup> {
  const shown = worstFirst(workloads).slice(0, most).map(briefRow);
  let budget = Math.max(LEAST_BUDGET, shown.length * BUDGET_OF_WORKLOAD);
  // The bytes of the brief rows from the current row on. Brief rows fit into the budget, whatever is in the manifests.
  let reserved = shown.reduce((sum, { size }) => sum + size, 0);
  const rows = new Map<ReportedWorkload, Markup>();
  for (const { workload: each, row: briefly, size } of shown) {
    const before = drawings.size;
    const row = budget > reserved ? workload(rowView(each, drawings)) : briefly;
    reserved -= size;
    budget -= utf8Length(row) + drawings.size - before;
    rows.set(each, row);
  }
  return rows;
}

/** A workload with its brief row and the bytes of the row. */
interface BriefRow {
  readonly workload: ReportedWorkload;
  readonly row: Markup;
  readonly size: number;
}

function briefRow(each: ReportedWorkload): BriefRow {
  const view = rowView(each);
  const row = workload(brief(view));
  const size = utf8Length(row);
  if (size <= BUDGET_OF_WORKLOAD) return { workload: each, row, size };
  const least = workload(shortest(view));
  return { workload: each, row: least, size: utf8Length(least) };
}

/** A row without times, and with the first finding only. */
function brief({ findings, policies, ...row }: RowView): RowView {
  const shown = findings.slice(0, BRIEF_FINDINGS);
  return {
    ...row,
    findings: shown,
    otherChecks: checksBeside(shown, findings, row.otherChecks),
    policies: policies.slice(0, BRIEF_POLICIES),
    live: row.live.slice(0, 1),
    notInjected: ['Times and further findings are left out, because the page would become too large.'],
  };
}

/** A row without times and findings, and with short names. */
function shortest({ findings, kind, namespace, name, place, ...row }: RowView): RowView {
  const short = (text: string): string => cut(text, SHORTEST_TEXT, '…');
  return {
    ...row,
    kind: short(kind),
    namespace: short(namespace),
    name: short(name),
    place: short(place),
    findings: [],
    otherChecks: checksBeside([], findings, row.otherChecks),
    policies: [],
    live: [],
    notInjected: ['Times and findings are left out, because the page would become too large.'],
  };
}

function checksBeside(shown: readonly FindingView[], all: readonly FindingView[], others: string): string {
  return [otherChecks(shown, all), others].filter((checks) => checks !== '').join(' ');
}

/** The workloads with the worst verdicts first. Workloads with the same verdict keep their order. */
export function worstFirst(workloads: readonly ReportedWorkload[]): ReportedWorkload[] {
  return workloads
    .map((workload) => ({ workload, level: levelOf(workload.violations) }))
    .sort((a, b) => a.level - b.level)
    .map(({ workload }) => workload);
}
