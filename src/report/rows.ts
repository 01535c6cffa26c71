import { workload } from './compiled-page.ts';
import { otherChecks, rowView } from './row-view.ts';
import { SceneDrawings } from './scene-drawings.ts';
import { levelOf } from './verdicts.ts';
import type { Markup } from '../text/xml.ts';
import type { RowView } from './page-view.ts';
import type { ReportedWorkload } from './report.ts';

/** Characters that rows and drawings may have together: for each workload, and for a page of up to 1,000 workloads. */
const BUDGET_OF_WORKLOAD = 2_700;
const LEAST_BUDGET = 1_000 * BUDGET_OF_WORKLOAD;
/** Characters of a row in brief, at most. This much is kept for each row that follows. */
const BRIEF_ROW = 1_100;
/** Findings of a row in brief. */
const BRIEF_FINDINGS = 1;
const BRIEF_POLICIES = 3;

/**
 * The rows of a page. The page has a budget: a fleet of thousands of bad workloads, or one hostile manifest, must not
 * make a page that no browser opens. The worst workloads get their full rows first. When the budget is used up, rows
 * are brief, and say so.
 */
export function rowsOf(
  workloads: readonly ReportedWorkload[],
  drawings: SceneDrawings,
  most = Infinity,
): Map<ReportedWorkload, Markup> {
  const shown = worstFirst(workloads).slice(0, most);
  let budget = Math.max(LEAST_BUDGET, shown.length * BUDGET_OF_WORKLOAD);
  const rows = new Map<ReportedWorkload, Markup>();
  for (const [index, each] of shown.entries()) {
    const reserved = (shown.length - index) * BRIEF_ROW;
    const before = drawings.size;
    const row = workload(budget > reserved ? rowView(each, drawings) : brief(rowView(each, NO_DRAWINGS)));
    budget -= row.length + drawings.size - before;
    rows.set(each, row);
  }
  return rows;
}

const NO_DRAWINGS = new SceneDrawings();

/** A row without times, and with the first finding only. */
function brief({ findings, policies, ...row }: RowView): RowView {
  const shown = findings.slice(0, BRIEF_FINDINGS);
  const left = ['Times and further findings are left out, because the page would become too large.'];
  return {
    ...row,
    findings: shown,
    otherChecks: [otherChecks(shown, findings), row.otherChecks].filter((checks) => checks !== '').join(' '),
    policies: policies.slice(0, BRIEF_POLICIES),
    live: row.live.slice(0, 1),
    containers: [],
    notInjected: left,
  };
}

/** The workloads with the worst verdicts first. Workloads with the same verdict keep their order. */
export function worstFirst(workloads: readonly ReportedWorkload[]): ReportedWorkload[] {
  return workloads
    .map((workload) => ({ workload, level: levelOf(workload.violations) }))
    .sort((a, b) => a.level - b.level)
    .map(({ workload }) => workload);
}
