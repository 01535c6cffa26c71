import { formatPath } from '../json/field-path.ts';
import { manifestsOf } from '../manifests/manifest.ts';
import { YamlFieldEditor } from '../yaml/editing/field-editing.ts';
import { withoutKnown } from './baseline/known-findings.ts';
import { checkInputs } from './check-inputs.ts';
import { NOTHING_LEFT_OUT, shownReport } from './shown-report.ts';
import type { Enforcement } from '../admission/validate.ts';
import type { FieldEdit } from '../json/field-edit.ts';
import type { FieldPath } from '../json/field-path.ts';
import type { Inputs } from '../manifests/inputs.ts';
import type { ManifestText } from '../manifests/manifest-text.ts';
import type { FieldEditPlan } from '../yaml/editing/field-editing.ts';
import type { ObjectPlace, PlacedViolation } from './check-report.ts';
import type { FindingIdentity } from './finding-identity.ts';
import type { Selection } from './shown-report.ts';

/** A text with the advice of checks applied. */
export interface AdvisedText {
  readonly text: string;
  /** The number of findings whose advice was applied. */
  readonly applied: number;
  /** Why advice was not applied; a line each. */
  readonly remarks: readonly string[];
}

/**
 * A text is judged again after each round, and a round applies one finding a container. Few containers have more than
 * ten findings with advice. The limit ends rounds of two checks with opposite advice.
 */
const MOST_ROUNDS = 100;

/** The findings whose advice is applied: those that `check` shows with the same flags. */
export interface AdviceSelection extends Selection {
  readonly enforcement: Enforcement;
  /** The findings of a baseline, whose advice is not applied. */
  readonly known: readonly FindingIdentity[];
}

/** What `check` shows without flags. */
export const SHOWN_BY_DEFAULT: AdviceSelection = { ...NOTHING_LEFT_OUT, enforcement: 'Deny', known: [] };

/** Applies the advice of the selected findings to a text, until no such finding with advice is left. */
export function withAdvice(source: ManifestText, inputs: Inputs, selection: AdviceSelection): AdvisedText {
  let { text } = source;
  let applied = 0;
  const refused = new Map<string, string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const open = advisedFindings({ ...source, text }, inputs, selection).filter(
      (finding) => !refused.has(identityOf(finding)),
    );
    if (open.length === 0) return { text, applied, remarks: [...refused.values()] };
    const result = applyRound(text, open);
    text = result.text;
    applied += result.applied;
    for (const { finding, reason } of result.refused) refused.set(identityOf(finding), remarkOf(finding, reason));
  }
  for (const finding of advisedFindings({ ...source, text }, inputs, selection)) {
    refused.set(identityOf(finding), remarkOf(finding, `it came back ${MOST_ROUNDS} times`));
  }
  return { text, applied, remarks: [...refused.values()] };
}

/** A finding with edits of its document. */
interface AdvisedFinding extends PlacedViolation {
  readonly object: ObjectPlace;
  readonly documentEdits: readonly FieldEdit[];
}

function advisedFindings(source: ManifestText, inputs: Inputs, selection: AdviceSelection): AdvisedFinding[] {
  const texts = [{ ...source, manifests: manifestsOf(source).manifests }];
  const found = checkInputs({ ...inputs, texts, problems: [], policyWarnings: [] }, selection.enforcement);
  const { violations } = shownReport(withoutKnown(found, selection.known).report, selection);
  return violations.flatMap((violation) => {
    const { action, edits, object } = violation;
    // An exception says that the workload stays as it is.
    if (action === 'Excepted' || edits === undefined || edits.length === 0 || object === undefined) return [];
    const documentEdits = edits.map(({ path, value }) => ({ path: [...object.path, ...path], value }));
    return [{ ...violation, object, documentEdits }];
  });
}

interface Round {
  readonly text: string;
  readonly applied: number;
  readonly refused: readonly { readonly finding: AdvisedFinding; readonly reason: string }[];
}

/** Applies one finding of each container. The others follow in the next round. */
function applyRound(text: string, findings: readonly AdvisedFinding[]): Round {
  const editor = new YamlFieldEditor(text);
  const plans: FieldEditPlan[] = [];
  const refused: { finding: AdvisedFinding; reason: string }[] = [];
  let applied = 0;
  for (const [document, own] of Map.groupBy(findings, ({ object }) => object.document)) {
    const chosen = separateFindings(own);
    const together = editor.verifiedPlan(
      document,
      chosen.flatMap(({ documentEdits }) => documentEdits),
    );
    if (together.kind === 'planned') {
      plans.push(together);
      applied += chosen.length;
      continue;
    }
    // One finding whose advice cannot be written does not keep the advice of the others out.
    const accepted: AdvisedFinding[] = [];
    for (const finding of chosen) {
      const plan = editor.verifiedPlan(document, finding.documentEdits);
      if (plan.kind === 'refused') refused.push({ finding, reason: plan.reason });
      else accepted.push(finding);
    }
    const rest = editor.verifiedPlan(
      document,
      accepted.flatMap(({ documentEdits }) => documentEdits),
    );
    if (rest.kind === 'refused') for (const finding of accepted) refused.push({ finding, reason: rest.reason });
    else applied += accepted.length;
    plans.push(rest);
  }
  return { text: editor.apply(plans), applied, refused };
}

/**
 * Returns the first finding of each container, if its edits are independent of the edits of the findings before it. The
 * advice of a finding is safe alone: two findings of one container may together make its liveness probe too slow.
 */
function separateFindings(findings: readonly AdvisedFinding[]): AdvisedFinding[] {
  const containers = new Set<string>();
  const taken = new Set<string>();
  return findings.filter(({ object, template, container, documentEdits }) => {
    const place = JSON.stringify([object.path, template, container]);
    const paths = documentEdits.map(touchedPath);
    if (containers.has(place) || paths.some((path) => isTaken(taken, path))) return false;
    containers.add(place);
    for (const path of paths) for (const key of keysOf(path)) taken.add(key);
    return true;
  });
}

/** Removing an element moves the elements behind it, so the edit touches the whole list. */
function touchedPath({ path, value }: FieldEdit): FieldPath {
  return value === null && typeof path.at(-1) === 'number' ? path.slice(0, -1) : path;
}

/** True when an earlier edit touches this place, a place above or a place inside. */
function isTaken(taken: ReadonlySet<string>, path: FieldPath): boolean {
  const above = path.map((_step, index) => `at ${JSON.stringify(path.slice(0, index + 1))}`);
  return taken.has(`in ${JSON.stringify(path)}`) || above.some((key) => taken.has(key));
}

/** The place itself, and every place that has the place inside. */
function keysOf(path: FieldPath): string[] {
  return [
    `at ${JSON.stringify(path)}`,
    ...path.map((_step, index) => `in ${JSON.stringify(path.slice(0, index + 1))}`),
  ];
}

/** The same finding, before and after lines move. */
function identityOf({ check, object, path }: AdvisedFinding): string {
  return JSON.stringify([check, object, path]);
}

function remarkOf({ file, line, column, check, path }: AdvisedFinding, reason: string): string {
  return `${file}:${line}:${column}: the advice of ${check} for ${formatPath(path)} is not applied: ${reason}`;
}
