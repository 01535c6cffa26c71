import { count } from '../../base/text/cut.ts';
import { CHECKS } from '../../engine/checks/catalogue.ts';
import { checkUrl } from '../../engine/checks/violation.ts';
import {
  DAY_MILLISECONDS,
  EXPIRING_MILLISECONDS,
  endOf,
  exceptionRules,
  exceptionSpec,
  type ExceptionSpec,
} from '../../engine/policy/probe-exception.ts';
import { breakable } from './rows.ts';
import { LIFE_ORDER, OWN_PROBE } from '../timeline/explained-probes.ts';
import {
  EXCEPTED,
  FINDING_ACTIONS,
  VERDICTS,
  lackingPods,
  levelOf,
  shortestGuarantee,
  verdictOfAction,
  type ShownVerdict,
} from './verdicts.ts';
import { MISSED_PODS_RULE } from '../../engine/facts/live-rules.ts';
import type { Markup } from '../../base/text/visible.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type {
  CheckView,
  CountView,
  CoverageView,
  ExceptionView,
  NamespaceView,
  PageView,
  TileView,
} from './page-view.ts';
import type { LabelSelector, Requirement } from '../../engine/policy/label-selector.ts';
import type { Report, ReportedWorkload } from './report.ts';

/** The tiles of the states count each workload once. */
export function tileViews(
  workloads: readonly ReportedWorkload[],
  exceptions: number,
  verdicts: readonly ShownVerdict[],
): PageView['tiles'] {
  const pods = workloads.reduce((sum, { live }) => sum + lackingPods(live), 0);
  const tile = (number: number, label: string, tone: string, shows: TileView['shows']): TileView => {
    return { number, label, tone, shows };
  };
  return [
    tile(workloads.length, workloads.length === 1 ? 'workload' : 'workloads', '', { verdict: '' }),
    ...verdicts.flatMap((verdict) => {
      const { label, meaning } = verdict;
      const { number, tone } = countOf(workloads, verdict);
      return number === 0 && meaning === EXCEPTED ? [] : [tile(number, meaning, tone, { verdict: label })];
    }),
    ...(pods > 0
      ? [tile(pods, pods === 1 ? 'Pod lacks probes' : 'Pods lack probes', 'warn', { check: MISSED_PODS_RULE })]
      : []),
    ...(exceptions > 0 ? [tile(exceptions, exceptions === 1 ? 'exception' : 'exceptions', 'excepted', {})] : []),
  ];
}

/** The states that a page shows. Files alone do not tell what fails. */
export function shownVerdicts({ isLive = false, workloads }: Report): readonly ShownVerdict[] {
  return isLive || workloads.some((each) => levelOf(each) === 0) ? VERDICTS : VERDICTS.slice(1);
}

function countOf(workloads: readonly ReportedWorkload[], verdict: ShownVerdict): CountView {
  return countView(workloads.filter((each) => VERDICTS[levelOf(each)] === verdict).length, verdict);
}

function countView(number: number, { label, tone }: Pick<CountView, 'label' | 'tone'>): CountView {
  return { number, label, tone: number === 0 ? 'zero' : tone };
}

export function namespaceViews(
  groups: readonly (readonly [string, readonly ReportedWorkload[]])[],
  verdicts: readonly ShownVerdict[],
): NamespaceView[] {
  return groups.map(([namespace, workloads]) => {
    const starts = workloads.map(({ explanation }) => shortestGuarantee(explanation));
    const shortest = Math.min(...starts.map((seconds) => seconds ?? Infinity));
    const without = starts.includes(undefined) ? 'not known' : 'no limit';
    return {
      namespace,
      workloads: workloads.length,
      counts: verdicts.map((verdict) => countOf(workloads, verdict)),
      lacking: workloads.reduce((sum, { live }) => sum + lackingPods(live), 0),
      shortest: shortest === Infinity ? without : `${shortest} s`,
      policies: [...workloadsByPolicy(workloads).keys()].sort(),
    };
  });
}

/** A row for each check that has findings, in the order of the catalogue. */
export function checkViews(workloads: readonly ReportedWorkload[]): CheckView[] {
  const all = workloads.flatMap((workload) =>
    workload.violations.map(({ check, action }) => ({ workload, check, action })),
  );
  const found = Map.groupBy(all, ({ check }) => check);
  return CHECKS.flatMap(({ id: check, summary }): CheckView[] => {
    const own = found.get(check);
    if (own === undefined) return [];
    const counts = FINDING_ACTIONS.map((action) =>
      countView(own.filter((finding) => finding.action === action).length, verdictOfAction(action)),
    );
    return [
      { check, url: checkUrl(check), summary, counts, workloads: new Set(own.map(({ workload }) => workload)).size },
    ];
  });
}

export function workloadsByPolicy(workloads: readonly ReportedWorkload[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { policies } of workloads)
    for (const policy of new Set(policies)) counts.set(policy, (counts.get(policy) ?? 0) + 1);
  return counts;
}

/** Application containers and native sidecars: the containers that may have probes. */
export function explainedContainers(workloads: readonly ReportedWorkload[]): readonly ContainerExplanation[] {
  return workloads.flatMap(({ explanation }) => explanation.containers);
}

export function coverageViews(workloads: readonly ReportedWorkload[]): CoverageView[] {
  const containers = explainedContainers(workloads);
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

/** The exceptions as rows, those that expire first on top. */
export function exceptionViews({ snapshot, now }: Report): ExceptionView[] {
  const exceptions = [...snapshot.facts.exceptions.lists].flatMap(([namespace, own]) => {
    const rules = exceptionRules(snapshot.policyFor(namespace, new Map()).layers);
    return own.map((exception) => ({
      ...exceptionSpec(exception),
      name: `${namespace}/${exception.name}`,
      expires: endOf(exception, rules),
    }));
  });
  return exceptions
    .toSorted((a, b) => a.expires - b.expires || (a.name < b.name ? -1 : 1))
    .map(({ name, checks, owner, reason, ticket, expires, ...about }) => {
      const instant = new Date(expires).toISOString();
      return {
        name,
        checks: checks.join(', '),
        workloads: breakable(workloadsText(about)),
        owner: ticket === undefined ? owner : `${owner} (${ticket})`,
        reason,
        instant,
        day: instant.slice(0, 10),
        ...stateOf(expires, now),
      };
    });
}

/** `Deployment legacy`, `Pods with app=legacy: worker` */
function workloadsText({ workloads, workloadSelector, containers }: Partial<ExceptionSpec>): string {
  const about =
    workloads?.map(({ kind, name }) => `${kind} ${name}`).join(', ') ?? selectorText(workloadSelector ?? []);
  return containers === undefined ? about : `${about}: ${containers.join(', ')}`;
}

function selectorText(selector: LabelSelector): string {
  return selector.length === 0 ? 'all Pods' : `Pods with ${selector.map(requirementText).join(', ')}`;
}

/** As `kubectl get --selector` writes it. */
function requirementText({ key, operator, values }: Requirement): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  const [only, ...others] = values;
  if (only !== undefined && others.length === 0) return `${key}${operator === 'In' ? '=' : '!='}${only}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
}

/** @param expires milliseconds since the epoch, as `now` */
function stateOf(expires: number, now: number): Pick<ExceptionView, 'state' | 'tone'> {
  if (expires <= now) return { state: 'Expired', tone: 'deny' };
  const days = Math.floor((expires - now) / DAY_MILLISECONDS);
  const state = days === 0 ? 'Expires within a day' : `Expires in ${count(days, 'day')}`;
  return { state, tone: expires - now < EXPIRING_MILLISECONDS ? 'warn' : 'excepted' };
}
