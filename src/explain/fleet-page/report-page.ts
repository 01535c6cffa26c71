import { compareText, count } from '../../base/text/cut.ts';
import { escapeXml, type Markup } from '../../base/text/visible.ts';
import { VERSION } from '../../base/version.ts';
import { TIER_WORDS } from '../../engine/policy/injection-tier.ts';
import { stripScale } from '../drawing/start-strip.ts';
import { SCRIPT, SCRIPT_SOURCE, STYLE, STYLE_SOURCE, page, workload } from './compiled-page.ts';
import { SceneDrawings, rowsOf } from './rows.ts';
import {
  checkViews,
  explainedContainers,
  coverageViews,
  exceptionViews,
  namespaceViews,
  shownVerdicts,
  tileViews,
  workloadsByPolicy,
} from './summaries.ts';
import { FINDING_ACTIONS, lackingPods, verdictOfAction } from './verdicts.ts';
import type { PageView, PolicyView } from './page-view.ts';
import type { Report, ReportedWorkload } from './report.ts';

/** Its own style sheet and script, and no request. A policy in a page holds only for what follows it. */
export const PAGE_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_SOURCE}`,
  `script-src ${SCRIPT_SOURCE}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A report as one HTML page that makes no request. The same report gives the same bytes. */
export function reportPage(report: Report): string {
  const groups = groupsOf(report.workloads);
  const drawings = new SceneDrawings();
  const exceptions = exceptionViews(report);
  const sorted = groups.flatMap(([, members]) => members);
  const rows = rowsOf(sorted, drawings, workload, report.mostRows);
  const verdicts = shownVerdicts(report);
  const instant = new Date(report.now).toISOString();
  const head: Omit<PageView, 'parts'> = {
    securityPolicy: PAGE_SECURITY_POLICY,
    title: `Probe report: ${report.subject}`,
    subject: report.subject,
    instant,
    shownInstant: `${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`,
    version: VERSION,
    injection: injectionLine(report),
    style: STYLE,
    script: SCRIPT,
    tiles: tileViews(report.workloads, exceptions.length, verdicts),
    problems: report.problems,
    containers: count(explainedContainers(report.workloads).length, 'container'),
    coverage: coverageViews(report.workloads),
    levels: verdicts.map(({ label }) => label),
    namespaces: namespaceViews(groups, verdicts),
    findingLevels: FINDING_ACTIONS.map((action) => verdictOfAction(action).label),
    checks: checkViews(report.workloads),
    hasLacking: report.workloads.some(({ live }) => lackingPods(live) > 0),
    legend: legendMarkup(explainedContainers(report.workloads).some(({ measured }) => measured.length > 0)),
    scale: stripScale(),
    rows: [...rows.values()],
    workloads: report.workloads.length,
    withoutRow: withoutRow(report, rows.size),
    nextSteps: report.nextSteps ?? [],
    policies: policyViews(report),
    exceptions,
    drawings: drawings.markup,
  };
  return page({ ...head, parts: partsOf(head) });
}

/** `The native policy injects; 2 of 40 workloads get fewer probes than from the webhook.` */
function injectionLine({ tier, workloads }: Report): string | undefined {
  if (tier === undefined) return undefined;
  const fewer = workloads.filter(({ explanation: { injection } }) => (injection?.leftOut.length ?? 0) > 0).length;
  const get = fewer === 1 ? 'gets' : 'get';
  const also = `${fewer} of ${count(workloads.length, 'workload')} ${get} fewer probes than from the webhook`;
  return `${TIER_WORDS[tier]}${tier === 'native' ? `; ${also}` : ''}.`;
}

function groupsOf(workloads: readonly ReportedWorkload[]): [string, readonly ReportedWorkload[]][] {
  return [...Map.groupBy(workloads, ({ explanation }) => explanation.namespace)]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([namespace, members]) => [
      namespace,
      members.toSorted(
        ({ explanation: a }, { explanation: b }) => compareText(a.name, b.name) || compareText(a.kind, b.kind),
      ),
    ]);
}

function withoutRow({ workloads }: Report, rows: number): string | undefined {
  const left = workloads.length - rows;
  if (left === 0) return undefined;
  return `${count(left, 'more workload')} without a row here: the page shows the worst ${rows}. The summaries count all.`;
}

function policyViews(report: Report): PolicyView[] {
  const workloads = workloadsByPolicy(report.workloads);
  return report.snapshot.policies
    .map(({ source }) => ({
      source,
      workloads: workloads.get(source) ?? 0,
      advice: report.advice?.get(source) ?? [],
    }))
    .toSorted((a, b) => compareText(a.source, b.source));
}

function partsOf(view: Omit<PageView, 'parts'>): PageView['parts'] {
  return [
    { id: 'summary', title: 'Summary' },
    ...(view.namespaces.length > 0 ? [{ id: 'namespaces', title: 'Namespaces' }] : []),
    ...(view.checks.length > 0 ? [{ id: 'checks', title: 'Checks' }] : []),
    { id: 'workloads', title: 'Workloads' },
    ...(view.policies.length > 0 ? [{ id: 'policies', title: 'Policies' }] : []),
    ...(view.exceptions.length > 0 ? [{ id: 'exceptions', title: 'Exceptions' }] : []),
  ];
}

/** Signs of the start strips, with their meanings. */
const SIGNS: readonly (readonly [name: string, meaning: string])[] = [
  ['safe', 'guaranteed time to start'],
  ['unsure', 'may pass or be killed'],
  ['rest', 'killed'],
  ['free', 'no limit'],
];

const LEARNED: readonly (readonly [name: string, meaning: string])[] = [
  ['dot', 'a learned start'],
  ['late', 'a learned start that is not guaranteed'],
];

/** The meaning of the strips of the rows. All strips have one scale, up to an hour. */
export function legendMarkup(hasLearned: boolean): Markup {
  const bars = SIGNS.map(([name, meaning]) => entry(`<path class=${name} d="M0 6h26"/>`, meaning));
  const dots = LEARNED.map(([name, meaning]) => entry(`<circle class=${name} cx=13 cy=6 r=3.5 />`, meaning));
  const scale = 'Strips: 0 s to 1 h, the same scale for all. The scale is not linear: short times get more room.';
  return [...bars, ...(hasLearned ? dots : []), `<span>${scale}</span>`].join(' ');
}

function entry(sign: Markup, meaning: string): Markup {
  return `<span><svg viewBox="0 0 26 12" aria-hidden=true>${sign}</svg>${escapeXml(meaning)}</span>`;
}
