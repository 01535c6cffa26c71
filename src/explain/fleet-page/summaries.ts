import { shortestGuarantee } from './starts.ts';
import { FINDING_ACTIONS, levelOf, verdictOfAction, VERDICTS } from './verdicts.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { CheckView, CountView, NamespaceView, PageView } from './page-view.ts';
import type { Report, ReportedWorkload } from './report.ts';

/** The numbers at the top of the page. */
export function tileViews({ workloads, exceptions }: Report): PageView['tiles'] {
  const pods = workloads.reduce((sum, { live }) => sum + live.reduce((all, finding) => all + finding.pods, 0), 0);
  return [
    { number: workloads.length, label: workloads.length === 1 ? 'workload' : 'workloads', tone: '' },
    ...countsByVerdict(workloads)
      .map(({ number, tone }, level) => ({ number, label: LABELS[level] ?? '', tone }))
      .filter(({ label, number }) => number > 0 || label !== EXCEPTED),
    ...(pods > 0 ? [{ number: pods, label: 'live Pods with findings', tone: 'warn' }] : []),
    ...(exceptions.length > 0
      ? [{ number: exceptions.length, label: exceptions.length === 1 ? 'exception' : 'exceptions', tone: 'excepted' }]
      : []),
  ];
}

/** The label of a tile that is shown only when there is an excepted workload. */
const EXCEPTED = 'with exceptions only';

/** The meaning of a verdict's number, in the order of VERDICTS. */
const LABELS = VERDICTS.map(({ label }) => {
  return (
    {
      Denied: 'would be denied',
      Warned: 'with warnings',
      Noted: 'with notes only',
      Excepted: EXCEPTED,
      Clean: 'without findings',
    }[label] ?? label
  );
});

function countsByVerdict(workloads: readonly ReportedWorkload[]): CountView[] {
  const levels = workloads.map(({ violations }) => levelOf(violations));
  return VERDICTS.map(({ tone }, level) => countView(levels.filter((each) => each === level).length, tone));
}

function countView(number: number, tone: string): CountView {
  return { number, tone: number === 0 ? 'zero' : tone };
}

/** A row for each namespace. */
export function namespaceViews(
  groups: readonly (readonly [string, readonly ReportedWorkload[]])[],
  groupId: (index: number) => string,
): NamespaceView[] {
  return groups.map(([namespace, workloads], index) => {
    const shortest = Math.min(...workloads.map(({ explanation }) => shortestGuarantee(explanation).guaranteed));
    return {
      id: groupId(index),
      namespace,
      workloads: workloads.length,
      counts: countsByVerdict(workloads),
      live: workloads.reduce((sum, { live }) => sum + live.length, 0),
      shortest: shortest === Infinity ? 'no limit' : `${shortest} s`,
      policies: [...workloadsByPolicy(workloads).keys()].sort(),
    };
  });
}

/** A row for each check that has findings, in the order of the catalogue. */
export function checkViews({ workloads, checks }: Report): CheckView[] {
  const found = new Map<
    string,
    { readonly counts: Map<Violation['action'], number>; readonly workloads: Set<ReportedWorkload> }
  >();
  for (const workload of workloads) {
    for (const { check, action } of workload.violations) {
      const known = found.get(check) ?? { counts: new Map<Violation['action'], number>(), workloads: new Set() };
      known.counts.set(action, (known.counts.get(action) ?? 0) + 1);
      known.workloads.add(workload);
      found.set(check, known);
    }
  }
  return [...checks].flatMap(([check, { summary, url }]): CheckView[] => {
    const known = found.get(check);
    if (known === undefined) return [];
    const counts = FINDING_ACTIONS.map((action) =>
      countView(known.counts.get(action) ?? 0, verdictOfAction(action).tone),
    );
    return [{ check, url, summary, counts, workloads: known.workloads.size }];
  });
}

/** How many workloads each policy applies to. */
export function workloadsByPolicy(workloads: readonly ReportedWorkload[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { policies } of workloads)
    for (const policy of new Set(policies)) counts.set(policy, (counts.get(policy) ?? 0) + 1);
  return counts;
}
