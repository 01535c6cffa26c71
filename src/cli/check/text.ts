import { formatPath } from '../../base/json/field-path.ts';
import { isInCluster, type ObjectOrigin } from '../input/cluster-object.ts';
import { linePlace } from '../../cluster/sources/policy-documents.ts';
import { count } from '../../base/text/cut.ts';
import { outputLine, visible } from '../../base/text/visible.ts';
import { wrapFile, wrapPath } from '../../base/text/wrap.ts';
import { paragraph, type ApplyStyle, type Screen } from '../output/screen.ts';
import { objectName, type PlacedViolation, type ReportFormat, type ShownReport } from './report.ts';
import { isShownAt, LEVELS_OF, LEVELS, type Level } from '../../engine/verdict/levels.ts';
import { partsOf, shownMessage } from './finding-parts.ts';
import { COVERED_PROBES, type LackReason } from '../../engine/verdict/coverage.ts';
import type { ListedProbeCounts } from '../output/json-outputs.ts';
import { leftOutText } from '../input/passed-over.ts';
import type { Coverage } from './coverage.ts';

/**
 * For people. On a terminal, findings are grouped by file and workload. Elsewhere each finding is one line, in the form
 * of compilers. A summary follows.
 */
export const textReport: ReportFormat = (report, screen) => {
  const { violations, summary } = report;
  const blocks = [
    screen.columns === undefined
      ? violations.map((violation) => findingLine(violation, screen.paint, report))
      : findingGroups(violations, screen, report),
    noMainContainerLines(summary.coverage.noMainContainer, screen, report),
    coverageLines(summary.coverage, screen),
    lackingLines(report, screen),
    countsByCheck(violations, screen),
    [...totals(report, screen), ...hiddenNotes(report, screen)],
  ];
  const shown = blocks.filter(({ length }) => length > 0);
  return shown.map((lines) => lines.map((line) => `${line}\n`).join('')).join('\n');
};

function countsByCheck(violations: readonly PlacedViolation[], screen: Screen): string[] {
  if (violations.length === 0) return [];
  const checks = [...Map.groupBy(violations, ({ check }) => check)]
    .map(([check, found]) => {
      const ofFound = new Set(found.map(({ action }) => LEVELS_OF[action].level));
      const levels = LEVELS.filter((level) => ofFound.has(level));
      return { check, number: found.length, levels, worst: LEVELS.findIndex((level) => ofFound.has(level)) };
    })
    .sort((a, b) => a.worst - b.worst || b.number - a.number);
  const width = Math.max(...checks.map(({ number }) => String(number).length));
  return [
    screen.paint('heading', 'Findings by check:'),
    ...checks.map(({ check, number, levels }) => {
      const painted = levels.map((level) => screen.paint(level, level)).join(', ');
      return `  ${String(number).padStart(width)}  ${check} (${painted})`;
    }),
  ];
}

/** The numbers of inputs, of findings and of hidden findings: one line, unless the screen is narrow. */
function totals(report: ShownReport, screen: Screen): string[] {
  const counts = countsByLevel(report);
  const worst = report.problems.length > 0 ? 'error' : LEVELS.find((level) => counts[level] > 0);
  return paragraph(screen, { text: totalsOf(report), style: worst ?? 'heading' });
}

function countsByLevel({ summary: { deny, warn, audit } }: ShownReport): Readonly<Record<Level, number>> {
  return { error: deny, warning: warn, note: audit };
}

/** The numbers of a report on one line. They hold nothing that comes from manifests. */
export function totalsOf(report: ShownReport): string {
  const { isFromCluster, violations, summary, warnings, problems, selection } = report;
  const { objects, workloads, leftOut, excepted, hidden } = summary;
  const counts = countsByLevel(report);
  const found = LEVELS.filter((level) => isShownAt(level, selection.minLevel)).map((level) =>
    count(counts[level], level),
  );
  const unchecked = leftOut === undefined ? '' : `, ${leftOutText(leftOut)}`;
  const parts = [`${count(workloads, 'workload')} in ${count(objects, 'object')}${unchecked}: ${found.join(', ')}`];
  if (excepted > 0) parts.push(`${count(excepted, 'violation')} excepted`);
  if (warnings.length > 0) parts.push(count(warnings.length, 'other warning'));
  if (problems.length > 0) parts.push(count(problems.length, 'input problem'));
  // No file has a rendered text, so nothing can be written.
  const advised = violations.filter(
    ({ edits, action, isRendered = false }) => edits !== undefined && action !== 'Excepted' && !isRendered,
  ).length;
  if (advised > 0 && isFromCluster !== true) parts.push(`${advised} of ${violations.length} by fix --advice`);
  const { known } = hidden;
  if (known !== undefined) parts.push(`${count(known.findings, 'known finding')} of ${known.baseline} hidden`);
  if (hidden.ignored !== undefined) parts.push(`${count(hidden.ignored, 'finding')} ignored by comments`);
  if (hidden.otherChecks > 0) parts.push(`${count(hidden.otherChecks, 'finding')} of other checks hidden`);
  if (hidden.warn > 0) parts.push(`${count(hidden.warn, 'warning')} hidden (--min-level warning shows warnings)`);
  return parts.join('; ');
}

/** One line with the hidden notes by check, unless the screen is narrow. */
function hiddenNotes({ summary: { hidden } }: ShownReport, screen: Screen): string[] {
  const notes = Object.entries(hidden.notes);
  if (notes.length === 0) return [];
  const total = notes.reduce((sum, [, number]) => sum + number, 0);
  const byCheck = notes.map(([check, number]) => `${number} ${check}`).join(', ');
  const text = `${count(total, 'note')} ${total === 1 ? 'is' : 'are'} hidden: ${byCheck}; --min-level note shows ${total === 1 ? 'it' : 'them'}`;
  return paragraph(screen, { text, style: 'heading' });
}

/**
 * Findings for a terminal, by file and workload. A finding has a head line with its position, level and check. The path
 * of the field, the message and the remedy follow, each on lines of its own. Objects of a cluster have no file and no
 * position.
 */
function findingGroups(violations: readonly PlacedViolation[], screen: Screen, origin: ObjectOrigin): string[] {
  const blocks = [...Map.groupBy(violations, ({ file }) => file)].flatMap(([file, ofFile]) => {
    const hasLines = !isInCluster(file, origin);
    return [...Map.groupBy(ofFile, objectName)].map(([workload, found], index) => {
      const width = hasLines ? found.reduce((widest, each) => Math.max(widest, positionOf(each).length), 0) : 0;
      return [
        ...(hasLines && index === 0 ? paragraph(screen, { text: file, style: 'heading', split: wrapFile }) : []),
        ...paragraph(screen, { text: workload, indent: hasLines ? 2 : 0, style: 'heading' }),
        ...found.flatMap((violation) => findingLines(violation, width, screen)),
      ];
    });
  });
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function positionOf({ line, column }: PlacedViolation): string {
  return line === 0 ? '' : `${line}:${column}`;
}

const LEVEL_WIDTH = Math.max(...LEVELS.map(({ length }) => length));
const BODY_INDENT = 6;

function findingLines(violation: PlacedViolation, positionWidth: number, screen: Screen): string[] {
  const { action, check, path, remedy } = violation;
  const level = LEVELS_OF[action].level;
  const head = [
    ...(positionWidth === 0 ? [] : [screen.paint('faint', positionOf(violation).padStart(positionWidth))]),
    screen.paint(level, level.padEnd(LEVEL_WIDTH)),
    check,
  ];
  const indent = BODY_INDENT;
  const advice = { text: 'advice: ', style: 'added' } as const;
  return [
    `    ${head.join('  ')}`,
    ...paragraph(screen, { text: formatPath(path), indent, style: 'faint', split: wrapPath }),
    ...paragraph(screen, { text: shownMessage(violation), indent }),
    ...(remedy === undefined ? [] : paragraph(screen, { text: remedy, indent, label: advice })),
  ];
}

/**
 * A finding on one line: `file:line:column: level: Kind namespace/name: path: message; remedy (check)`. An object of a
 * cluster is its own place: `Kind namespace/name: level: path: message; remedy (check)`.
 */
export function findingLine(violation: PlacedViolation, paint: ApplyStyle, origin: ObjectOrigin = {}): string {
  const level = LEVELS_OF[violation.action].level;
  const { file } = violation;
  const { object, text: shown } = partsOf(violation);
  const [place, text] = isInCluster(file, origin)
    ? [`${object}:`, shown]
    : [`${linePlace(violation)}:`, `${object}: ${shown}`];
  return `${paint('heading', outputLine(place))} ${paint(level, `${level}:`)} ${visible(text)}`;
}

/** The reasons in words. docs/defaulting.md and docs/commands.md say what helps. */
export const REASON_TEXTS: Readonly<Record<LackReason, string>> = {
  'no-policy': 'no policy for the Pod asks for probes',
  'namespace-unknown': 'no input has the labels of the namespace, which a policy selects by',
  'not-selected': 'the policies select other containers',
  'run-to-completion': 'the containers run to completion',
  'no-main-container': 'no main container can be determined',
  'container-not-found': 'the annotation names a container that does not exist',
  'init-container': 'init containers may have no probes',
  'mesh-container': 'the service mesh probes the container',
  'skipped-by-annotation': 'the annotation probewright.dev/skip names the probe',
  'removed-by-policy': 'a policy removes the probe',
  'no-endpoint': 'no policy names an endpoint or another handler',
  'no-port': 'no port, or several and none is named "http"',
  'no-http-port': 'no port that may answer HTTP',
  'port-not-declared': "the policy's port is not declared",
  'port-not-tcp': "the policy's port is not a TCP port",
  'no-liveness-probe': 'there is no liveness probe',
  'liveness-cannot-work': 'the liveness probe cannot work',
  'own-handler-differs': 'the own probes ask in another way than the policy',
  'own-handler-acts': 'the command of the liveness probe may have side effects',
  'startup-period-too-long': 'the own startup probe asks too seldom',
  'opted-out': 'a label keeps the Pod from the webhook',
  'forbidden-by-floor': 'a floor of a cluster policy forbids the probe',
  'too-few-starts': 'too few starts are known for a learned startup probe',
  'own-path-differs': 'the own probes ask other paths than the policy',
  'cannot-work': 'a check says that the probe cannot work, or hides failures',
  'debug-copy': 'the Pod counts as a copy of kubectl debug',
  'mesh-came-first': 'a mesh is in the way of every probe but exec',
  'not-native': 'the native policy leaves the probe out',
};

function coverageLines({ containers, ...counts }: Coverage, screen: Screen): string[] {
  if (containers === 0) return [];
  return [
    screen.paint('heading', `Coverage of ${count(containers, 'container')}:`),
    ...COVERED_PROBES.flatMap((probe) => probeLines(probe, counts[probe], screen)),
  ];
}

function probeLines(probe: string, { have, get, lack, reasons }: ListedProbeCounts, screen: Screen): string[] {
  const parts = [
    [have, have === 1 ? 'has one' : 'have one'],
    [get, `${get === 1 ? 'gets' : 'get'} one from a policy`],
    [lack, lack === 1 ? 'lacks one' : 'lack one'],
  ] as const;
  const text = parts.flatMap(([number, verb]) => (number === 0 ? [] : [`${number} ${verb}`])).join(', ');
  const width = String(lack).length;
  return [
    ...paragraph(screen, { text: `${probe}: ${text}`, indent: 2 }),
    ...Object.entries(reasons).flatMap(([reason, number]) => {
      const label = { text: `${String(number).padStart(width)}  `, style: 'heading' } as const;
      return paragraph(screen, { text: `${REASON_TEXTS[reason as LackReason]} (${reason})`, indent: 4, label });
    }),
  ];
}

/** The probes of the coverage are those of new Pods. */
function lackingLines({ lacking = [] }: ShownReport, screen: Screen): string[] {
  if (lacking.length === 0) return [];
  const lines = lacking.map((each) => ({ text: `${objectName(each)}: ${each.message}`, indent: 2 }));
  return [screen.paint('heading', 'Live Pods:'), ...lines.flatMap((line) => paragraph(screen, line))];
}

/** The workloads that get no probes because no main container can be determined, with the policies that want one. */
function noMainContainerLines(workloads: Coverage['noMainContainer'], screen: Screen, origin: ObjectOrigin): string[] {
  if (workloads.length === 0) return [];
  return [
    screen.paint('heading', 'No main container:'),
    ...workloads.flatMap(({ file, line, column, kind, namespace, name, policies, message }) => {
      const place = isInCluster(file, origin) ? '' : `${linePlace({ file, line, column })}: `;
      const text = `${place}${kind} ${namespace}/${name}: ${message} (wanted by ${policies.join(', ')})`;
      return paragraph(screen, { text, indent: 2 });
    }),
  ];
}
