import { formatPath, type FieldEdit, type FieldPath } from '../../base/json/field-path.ts';
import { manifestsOf, type ManifestText } from '../input/manifest.ts';
import { YamlFieldEditor, type FieldEditPlan } from '../../yaml/editing/field-editing.ts';
import { withoutKnown, NOTHING_LEFT_OUT, shownReport } from '../check/report.ts';
import type { FindingIdentity, ObjectPlace, PlacedViolation, Selection } from '../check/report.ts';
import { checkInputs } from '../check/check-inputs.ts';
import type { Enforcement } from '../../engine/policy/action.ts';
import type { Inputs } from '../input/inputs.ts';

export interface AdvisedText {
  readonly text: string;
  readonly applied: number;
  /** The findings that `check` still shows. They need a hand. */
  readonly left: readonly PlacedViolation[];
  /** Why advice was not applied; a line each. */
  readonly remarks: readonly string[];
}

/** The findings whose advice is applied: those that `check` shows with the same flags. */
export interface AdviceSelection extends Selection {
  readonly enforcement: Enforcement;
  /** The advice of findings that a comment ignores is not applied. */
  readonly honoursComments: boolean;
  /** The findings of a baseline, whose advice is not applied. */
  readonly known: readonly FindingIdentity[];
}

/** What `check` shows without flags. */
export const SHOWN_BY_DEFAULT: AdviceSelection = {
  ...NOTHING_LEFT_OUT,
  enforcement: 'Deny',
  honoursComments: true,
  known: [],
};

/**
 * Applies the advice that `check` shows for a source. The text is judged again after each round, so the values fit the
 * text as it is then. Findings and fields that `check` did not show stay as they are.
 *
 * @param text the source's text, with the probes of policies
 */
export function withAdvice(
  source: ManifestText,
  inputs: Inputs,
  selection: AdviceSelection,
  text: string = source.text,
): AdvisedText {
  const shown = shownAdvice(findingsIn(source, inputs, selection));
  const reasonAgainst = (finding: EditedFinding): string | undefined =>
    reasonOf(finding, shown.get(lastingKey(finding)));
  let edited = text;
  let applied = 0;
  const remarks = new Map<string, string>();
  const refuse = (finding: EditedFinding, reason = ''): void =>
    void remarks.set(identityOf(finding), remarkOf(finding, reason));
  // Each round uses up advice that is shown, or refuses a finding.
  for (;;) {
    const left = findingsIn({ ...source, text: edited }, inputs, selection);
    const found = left.filter((finding) => {
      const { unused = 0 } = shown.get(lastingKey(finding)) ?? {};
      const isShown = unused > 0 || (shown.has(lastingKey(finding)) && finding.documentEdits.length > 0);
      return isShown && !remarks.has(identityOf(finding));
    });
    const open = found.filter((finding) => reasonAgainst(finding) === undefined);
    if (open.length === 0) {
      for (const finding of found) refuse(finding, reasonAgainst(finding));
      return { text: edited, applied, left, remarks: [...remarks.values()] };
    }
    const round = applyRound(edited, open);
    edited = round.text;
    applied += round.applied.length;
    for (const finding of round.applied) {
      const advice = shown.get(lastingKey(finding));
      if (advice !== undefined) advice.unused -= 1;
    }
    for (const { finding, reason } of round.refused) refuse(finding, reason);
  }
}

/** A finding with edits of its document. Without advice, there are none. */
interface EditedFinding extends PlacedViolation {
  readonly object: ObjectPlace;
  readonly documentEdits: readonly FieldEdit[];
}

function findingsIn(source: ManifestText, inputs: Inputs, selection: AdviceSelection): EditedFinding[] {
  const texts = [{ ...source, manifests: manifestsOf(source).manifests }];
  const { enforcement, honoursComments } = selection;
  const alone = { ...inputs, texts, problems: [], policyWarnings: [] };
  const found = checkInputs(alone, enforcement, undefined, honoursComments);
  const { violations } = shownReport(withoutKnown(found, selection.known).report, selection);
  return violations.flatMap((violation) => {
    const { action, edits = [], object } = violation;
    // An exception says that the workload stays as it is.
    if (action === 'Excepted' || object === undefined) return [];
    const documentEdits = edits.map(({ path, value }) => ({ path: [...object.path, ...path], value }));
    return [{ ...violation, object, documentEdits }];
  });
}

/** The advice of findings with one lasting identity: how many have advice that is unused, and the fields of it. */
interface Advice {
  unused: number;
  readonly fields: Set<string>;
}

/** The advice that `check` shows for a text, by lasting identity. Findings without edits have none. */
function shownAdvice(findings: readonly EditedFinding[]): ReadonlyMap<string, Advice> {
  const advised = findings.filter(({ documentEdits }) => documentEdits.length > 0);
  return new Map(
    [...Map.groupBy(advised, lastingKey)].map(([key, own]) => {
      const edits = own.flatMap(({ documentEdits }) => documentEdits);
      return [key, { unused: own.length, fields: new Set(edits.map(({ path }) => fieldNamesOf(path))) }];
    }),
  );
}

/** Returns why the advice of a finding is not applied, now that other edits are made. */
function reasonOf({ documentEdits }: EditedFinding, shown: Advice | undefined): string | undefined {
  if (documentEdits.length === 0) return 'no value is known to work after the other edits';
  if (shown === undefined || shown.unused === 0) return 'the finding came back after the other edits';
  const unseen = documentEdits.find(({ path }) => !shown.fields.has(fieldNamesOf(path)));
  return (
    unseen &&
    `after the other edits, it needs ${formatPath(unseen.path)}, too, which check did not show for it; run check again`
  );
}

function applyRound(text: string, findings: readonly EditedFinding[]) {
  const editor = new YamlFieldEditor(text);
  const plans: FieldEditPlan[] = [];
  const refused: { finding: EditedFinding; reason: string }[] = [];
  const applied: EditedFinding[] = [];
  for (const [document, own] of Map.groupBy(findings, ({ object }) => object.document)) {
    let plan: FieldEditPlan | undefined;
    const edits: FieldEdit[] = [];
    const separate = separateFindings(own);
    // A plan reads the whole document, so all are planned at once; then one by one, because a finding whose advice
    // cannot be written keeps out no other.
    for (const group of [separate, ...separate.map((finding) => [finding])]) {
      const more = group.flatMap(({ documentEdits }) => documentEdits);
      const together = editor.verifiedPlan(document, [...edits, ...more]);
      if (together.kind === 'planned') {
        plan = together;
        applied.push(...group);
        edits.push(...more);
        if (group === separate) break;
      } else if (group !== separate) refused.push(...group.map((finding) => ({ finding, reason: together.reason })));
    }
    if (plan !== undefined) plans.push(plan);
  }
  return { text: editor.apply(plans), applied, refused };
}

/**
 * Returns the first finding of each container, if its edits are independent of the edits of the findings before it. The
 * advice of a finding is safe alone: two findings of one container may together make its liveness probe too slow.
 */
function separateFindings(findings: readonly EditedFinding[]): EditedFinding[] {
  const containers = new Set<string>();
  const taken: FieldPath[] = [];
  return findings.filter(({ object, template, container, documentEdits }) => {
    const place = JSON.stringify([object.path, template, container]);
    const paths = documentEdits.map(touchedPath);
    if (containers.has(place) || paths.some((path) => taken.some((other) => isInside(path, other)))) return false;
    containers.add(place);
    taken.push(...paths);
    return true;
  });
}

/** Removing an element moves the elements behind it, so the edit touches the whole list. */
function touchedPath({ path, value }: FieldEdit): FieldPath {
  return value === null && typeof path.at(-1) === 'number' ? path.slice(0, -1) : path;
}

/** True when one of two places is inside the other, or is the other. */
function isInside(one: FieldPath, other: FieldPath): boolean {
  const [outer, inner] = one.length < other.length ? [one, other] : [other, one];
  return outer.every((step, index) => step === inner[index]);
}

/** The same finding, before and after elements of lists are added or removed. */
function lastingKey({ check, object, template, container, probe, path }: EditedFinding): string {
  return JSON.stringify([check, object, template, container, probe, fieldNamesOf(path)]);
}

function fieldNamesOf(path: FieldPath): string {
  return path.filter((step) => typeof step === 'string').join('.');
}

/** The same finding, before and after lines move. */
function identityOf({ check, object, path }: EditedFinding): string {
  return JSON.stringify([check, object, path]);
}

function remarkOf({ file, line, column, check, path }: EditedFinding, reason: string): string {
  return `${file}:${line}:${column}: the advice of ${check} for ${formatPath(path)} is not applied: ${reason}`;
}
