import { withoutRepeats } from '../../engine/verdict/repeated-advice.ts';
import type { Violation } from '../../engine/checks/violation.ts';
import type { FieldPath } from '../../base/json/field-path.ts';
import type { ChartValue, ManifestText } from '../input/manifest.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { CheckOutput, FilePlace, ListedViolation } from '../output/json-outputs.ts';
import type { Screen } from '../output/screen.ts';
import { isShownAt, LEVELS_OF, type Level } from '../../engine/verdict/levels.ts';

/** The place of an object in a file. The edits of a violation begin there. */
export interface ObjectPlace {
  readonly document: number;
  readonly path: FieldPath;
}

/** The identity of a finding across runs. Files, lines, fields and texts change too easily. */
export type FindingIdentity = Pick<ListedViolation, 'check' | 'kind' | 'namespace' | 'name' | 'container'> & {
  /** Absent when the finding is about the container as a whole. */
  readonly probe?: string | undefined;
};

export interface PlacedViolation
  extends Violation, FilePlace, Pick<ListedViolation, 'kind' | 'namespace' | 'name' | 'workloads'> {
  readonly object?: ObjectPlace;
  /** True for an object that a tool rendered: no edit of the object is an edit of `file`. */
  readonly isRendered?: boolean;
  /** The value of a chart that writes a field of the object. Absent where no chart was rendered. */
  readonly chartValueOf?: (path: FieldPath, wanted?: unknown) => Promise<ChartValue | undefined>;
}

/** The object of a violation as people write it: `Deployment apps/web`, `ClusterProbePolicy app`. */
export function objectName({ kind, namespace, name }: Pick<PlacedViolation, 'kind' | 'namespace' | 'name'>): string {
  return namespace === '' ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

type FindingCounts = Pick<CheckOutput['summary'], 'deny' | 'warn' | 'audit' | 'excepted'>;

/** The findings of `probewright check`. `shownReport` makes of them the printed report. */
export interface CheckReport {
  /** True when the findings are in objects of a cluster: their `file` is no file, and their lines mean nothing. */
  readonly isFromCluster?: boolean;
  readonly violations: readonly PlacedViolation[];
  readonly summary: Omit<CheckOutput['summary'], keyof FindingCounts>;
  /** Annotations without effect, of which the webhook warns, too. For standard error. */
  readonly warnings: readonly FileProblem[];
  /** How many findings comments of the files ignore. */
  readonly ignored?: number;
  /** Comments that ignore nothing. For standard error. */
  readonly notes?: readonly FileProblem[];
  /** The inputs that could not be read. For standard error, in every output format. */
  readonly problems: readonly FileProblem[];
  /** The workloads whose live Pods lack probes of policies. Absent for files. */
  readonly lacking?: CheckOutput['lacking'];
  readonly exempt?: CheckOutput['exempt'];
  readonly project?: CheckOutput['project'];
  /** The findings that a baseline has removed. */
  readonly known?: KnownFindings;
}

/** The command line's selection of a report's content. */
export interface Selection {
  /** The lowest level that is shown. */
  readonly minLevel: Level;
  /** The checks that are shown. Empty = all checks. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

export const NOTHING_LEFT_OUT: Selection = { minLevel: 'warning', only: [], skip: [] };

/** Findings that a baseline hides. */
interface KnownFindings {
  /** The file of the baseline. */
  readonly baseline: string;
  readonly findings: number;
}

/** How many findings a selection hides, by the first filter that hides them. */
interface HiddenFindings {
  readonly known?: KnownFindings;
  readonly otherChecks: number;
  /** Findings that comments of the files ignore. Absent without any. */
  readonly ignored?: number;
  /** Warnings and notes below `--min-level`. */
  readonly warn: number;
  readonly audit: number;
  readonly excepted: number;
  /** The number of notes below `--min-level` of each check, the most frequent check first. */
  readonly notes: Readonly<Record<string, number>>;
}

/** The part of a report that is printed, and that decides the exit code. Every format prints a ShownReport. */
export interface ShownReport extends CheckReport {
  /** The manifests, for formats that show changes. */
  readonly texts?: readonly ManifestText[];
  readonly selection: Selection;
  /** With the numbers of the findings that are shown. */
  readonly summary: CheckOutput['summary'] & { readonly hidden: HiddenFindings };
}

/** Writes a report in one format. Only formats for people look at the screen. */
export type ReportFormat = (report: ShownReport, screen: Screen) => string;

/**
 * Applies a selection to a report: the one place between the verdicts and the formats that leaves findings out. The
 * findings of each file are in the order of the file's lines.
 */
export function shownReport(report: CheckReport, selection: Selection): ShownReport {
  const { known, ignored = 0 } = report;
  const { coverage, ...counted } = report.summary;
  const { all, selected, shown, hidden } = split(report.violations, selection);
  const { warn, audit, excepted } = countByAction(hidden);
  return {
    ...report,
    selection,
    violations: inLineOrder(shown),
    warnings: isShownAt('warning', selection.minLevel) ? report.warnings : [],
    summary: {
      ...counted,
      ...countByAction(shown),
      coverage,
      hidden: {
        ...(known !== undefined && { known }),
        ...(ignored > 0 && { ignored }),
        otherChecks: all.length - selected.length,
        warn,
        audit,
        excepted,
        notes: notesByCheck(hidden),
      },
    },
  };
}

/** The violations that a selection shows, in the order of the lines of each file. */
export function shownViolations(
  violations: readonly PlacedViolation[],
  selection: Selection,
): readonly PlacedViolation[] {
  return inLineOrder(split(violations, selection).shown);
}

function split(violations: readonly PlacedViolation[], selection: Selection) {
  const all = eachOnce(violations);
  const selected = all.filter((violation) => isSelected(violation, selection));
  const ofChecks = withoutRepeatsByObject(selected);
  return {
    all,
    selected,
    shown: ofChecks.filter((violation) => isShown(violation, selection)),
    hidden: ofChecks.filter((violation) => !isShown(violation, selection)),
  };
}

/** Several charts and kustomizations may render one file to equal objects. */
function eachOnce(violations: readonly PlacedViolation[]): readonly PlacedViolation[] {
  const seen = new Set<string>();
  return violations.filter((violation) => {
    if (violation.isRendered !== true) return true;
    const { file, line, column, path, message } = violation;
    const key = JSON.stringify([findingKey(violation), file, line, column, path, message]);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * What is still to be repaired of a selection, for a file that hides it; also findings that repeat the advice of
 * another. Without what an exception allows, as the end of the exception must show.
 */
export function selectedFindings({ violations }: CheckReport, selection: Selection): readonly PlacedViolation[] {
  const isToRepair = (one: PlacedViolation): boolean =>
    one.action !== 'Excepted' && isSelected(one, selection) && isShown(one, selection);
  return violations.filter(isToRepair);
}

function isSelected({ check }: PlacedViolation, { only, skip }: Selection): boolean {
  return (only.length === 0 || only.includes(check)) && !skip.includes(check);
}

/** An exception stays visible, so its notes are shown by default too. */
function isShown({ action }: PlacedViolation, { minLevel }: Selection): boolean {
  return isShownAt(action === 'Excepted' ? 'warning' : LEVELS_OF[action].level, minLevel);
}

/** Each manifest has its own path object, also where several files hold one object. */
export function withoutRepeatsByObject(violations: readonly PlacedViolation[]): readonly PlacedViolation[] {
  const byObject = Map.groupBy(violations, ({ object, file }) => object?.path ?? file).values();
  const left = new Set([...byObject].flatMap(withoutRepeats));
  return violations.filter((violation) => left.has(violation));
}

/** Counts the notes. Exceptions count too, as their level is that of a note. */
function notesByCheck(violations: readonly PlacedViolation[]): HiddenFindings['notes'] {
  const notes = violations.filter(({ action }) => LEVELS_OF[action].level === 'note');
  const counts = [...Map.groupBy(notes, ({ check }) => check)].map(([check, { length }]) => [check, length] as const);
  return Object.fromEntries(counts.sort(([, a], [, b]) => b - a));
}

/** The numbers of findings of each action. */
function countByAction(violations: readonly PlacedViolation[]): FindingCounts {
  const counts = { Deny: 0, Warn: 0, Audit: 0, Excepted: 0 };
  for (const { action } of violations) counts[action] += 1;
  return { deny: counts.Deny, warn: counts.Warn, audit: counts.Audit, excepted: counts.Excepted };
}

/** Files keep their order. Findings at one place keep the order of the catalogue. */
function inLineOrder(violations: readonly PlacedViolation[]): readonly PlacedViolation[] {
  const byFile = Map.groupBy(violations, ({ file }) => file).values();
  return [...byFile].flatMap((own) => own.toSorted((a, b) => a.line - b.line || a.column - b.column));
}

/** Returns the identity as one text, equal for equal identities. */
export function findingKey({ check, kind, namespace, name, container, probe }: FindingIdentity): string {
  return JSON.stringify([check, kind, namespace, name, container, probe]);
}
