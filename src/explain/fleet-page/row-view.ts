import { learnedInWords, startStrip } from '../drawing/start-strip.ts';
import { formatPath } from '../../base/json/field-path.ts';
import { cut } from '../../base/text/cut.ts';
import { OWN_PROBE } from '../timeline/explained-probes.ts';
import { probeTimes } from '../timeline/probe-times.ts';
import { shortestGuarantee, stripContainers } from './starts.ts';
import { FINDING_ACTIONS, findingsInWords, levelOf, verdictOfAction, VERDICTS } from './verdicts.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { ContainerExplanation } from '../timeline/explanation.ts';
import type { ContainerView, FindingView, RowView } from './page-view.ts';
import type { ReportedWorkload } from './report.ts';
import type { SceneDrawings } from './scene-drawings.ts';

/** A workload may have thousands of findings and containers; a row shows this many. */
const MOST_FINDINGS = 30;
const MOST_CONTAINERS = 30;
/** Longest text of a row, in characters: a hostile name or command is as long as a body. */
const MOST_TEXT = 300;

const short = (text: string): string => cut(text, MOST_TEXT, '…');

/**
 * A workload as a row of the page.
 *
 * @param drawings receives the drawings of the containers; without `drawings`, the row has no containers
 */
export function rowView(workload: ReportedWorkload, drawings?: SceneDrawings): RowView {
  const { kind, namespace, name, explanation, violations, policies, learned, live, warnings } = workload;
  const level = levelOf(violations);
  const verdict = VERDICTS[level];
  const { limited, guaranteed } = shortestGuarantee(explanation);
  const sorted = worstFirst(violations);
  const findings = sorted.slice(0, MOST_FINDINGS);
  return {
    kind: short(kind),
    namespace: short(namespace),
    name: short(name),
    level,
    tone: verdict?.tone ?? '',
    verdict: verdict?.label ?? '',
    found: findingsInWords(violations),
    guaranteed: limited ? String(guaranteed) : '',
    start: limited ? `${guaranteed} s` : 'no limit',
    strip: startStrip(stripContainers(workload)),
    findings: findings.map((violation) => findingView(violation)),
    otherChecks: otherChecks(findings, sorted),
    live: live
      .slice(0, MOST_FINDINGS)
      .map(({ name: finding, message, command }) => ({ name: finding, message: short(message), command })),
    containers:
      drawings === undefined
        ? []
        : explanation.containers
            .slice(0, MOST_CONTAINERS)
            .map((container) => containerView(container, learned, drawings)),
    notInjected: [...leftOut(workload), ...explanation.notInjected, ...warnings].map(short),
    place: explanation.place,
    policies,
  };
}

/** The checks of these findings that no shown finding is of. */
export function otherChecks(shown: readonly { check: string }[], all: readonly { check: string }[]): string {
  const names = new Set(all.map(({ check }) => check));
  for (const { check } of shown) names.delete(check);
  return [...names].join(' ');
}

function worstFirst(violations: readonly Violation[]): Violation[] {
  return violations.toSorted((a, b) => FINDING_ACTIONS.indexOf(a.action) - FINDING_ACTIONS.indexOf(b.action));
}

function leftOut({ violations, explanation }: ReportedWorkload): string[] {
  const findings = violations.length - MOST_FINDINGS;
  const containers = explanation.containers.length - MOST_CONTAINERS;
  return [
    ...(findings > 0 ? [`${findings} more findings are not shown.`] : []),
    ...(containers > 0 ? [`${containers} more containers are not shown.`] : []),
  ];
}

function findingView({ action, check, path, message, remedy }: Violation): FindingView {
  const { label, tone } = verdictOfAction(action);
  return {
    action: label,
    tone,
    check,
    path: short(formatPath(path)),
    message: short(message),
    remedy: remedy === undefined ? undefined : short(remedy),
  };
}

function containerView(
  { name, role, headline, caveats, probes, scenes, figures }: ContainerExplanation,
  learned: ReportedWorkload['learned'],
  drawings: SceneDrawings,
): ContainerView {
  const starts = learned.get(name) ?? [];
  return {
    name: short(name),
    role: role === 'sidecar' ? 'native sidecar' : '',
    headline,
    learned: starts.length === 0 ? undefined : `Learned starts: ${learnedInWords(starts)}.`,
    caveats,
    probes: probes.map(({ kind, handler, from, letters }) => ({
      kind,
      handler: cut(handler, 100, '…'),
      times: probeTimes(letters),
      from: from === OWN_PROBE ? undefined : short(from),
    })),
    scenes: figures.length === 0 ? [] : scenes.map((scene) => drawings.add(scene)),
  };
}
