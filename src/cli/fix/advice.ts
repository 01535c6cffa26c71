import { formatPath, type FieldEdit, type FieldPath } from '../../base/json/field-path.ts';
import type { Manifest, ManifestText } from '../input/manifest.ts';
import { manifestsOf } from '../input/manifests.ts';
import { YamlFieldEditor, type FieldEditPlan } from '../../yaml/editing/field-editing.ts';
import { withoutKnown } from '../check/known-findings.ts';
import { NOTHING_LEFT_OUT, shownViolations } from '../check/report.ts';
import type { FindingIdentity, ObjectPlace, PlacedViolation, Selection } from '../check/report.ts';
import { judgeText } from '../check/judge-text.ts';
import { keepsStarts, mayAskForTime } from '../../engine/verdict/kept-starts.ts';
import { equalJson } from '../../base/json/json-value.ts';
import { workloadKindOfManifest } from '../../engine/workload/kinds.ts';
import { laxer, type Enforcement } from '../../engine/policy/action.ts';
import type { World } from '../input/world.ts';

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
  /** The lasting identities of other findings whose advice is not applied. */
  readonly others?: ReadonlySet<string>;
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
 * text as it is then. The edits of one finding may need those of another, so what `check` would show for the new text
 * is applied, too: a second run changes nothing. What only the probes of policies cause stays as it is.
 *
 * @param text the source's text, with the probes of policies
 */
export function withAdvice(
  source: ManifestText,
  world: World,
  selection: AdviceSelection,
  text: string = source.text,
): AdvisedText {
  const { findings: shown, mayLast } = findingsIn(source, world, selection);
  let first: Pick<Judged, 'manifests'> | undefined;
  const known = new Set(shown.map(lastingIdentityOf));
  /** How many findings still have unused advice that was shown. */
  const unused = new Map<string, number>();
  for (const finding of shown) if (finding.documentEdits.length > 0) count(unused, finding, 1);
  let ofPolicies: ReadonlySet<string> | undefined;
  let edited = text;
  const keeps = (was: Manifest, is: Manifest, { object, edits = [] }: EditedFinding): boolean => {
    const kind = workloadKindOfManifest(was.object, world.kinds);
    const isAsked = (container: string): boolean => mayLast.has(containerKey(object, container));
    return kind === undefined || keepsStarts(was.object, is.object, edits, kind, isAsked);
  };
  let applied = 0;
  const remarks = new Map<string, string>();
  // Each round uses up advice, or refuses a finding.
  for (;;) {
    const { findings: left, ...current } = findingsIn({ ...source, text: edited }, world, selection);
    first ??= current;
    ofPolicies ??= new Set(left.map(lastingIdentityOf).filter((identity) => !known.has(identity)));
    const open: EditedFinding[] = [];
    const stuck: EditedFinding[] = [];
    for (const finding of left) {
      const identity = lastingIdentityOf(finding);
      if (ofPolicies.has(identity) || remarks.has(identityOf(finding))) continue;
      const uses = unused.get(identity) ?? 0;
      if (finding.documentEdits.length === 0 ? uses > 0 : uses <= -MOST_RETURNS) stuck.push(finding);
      else if (finding.documentEdits.length > 0) {
        const [was, is] = [first, current].map(({ manifests }) => manifestAt(manifests, finding));
        const isKept = was === undefined || is === undefined || keeps(was, is, finding);
        if (isKept) open.push(finding);
        else remarks.set(identityOf(finding), remarkOf(finding, LATER_START));
      }
    }
    if (open.length === 0) {
      for (const finding of stuck) remarks.set(identityOf(finding), remarkOf(finding, whyStuck(finding)));
      return { text: edited, applied, left, remarks: [...remarks.values()] };
    }
    const result = applyRound(edited, open);
    edited = result.text;
    applied += result.applied.length;
    for (const finding of result.applied) count(unused, finding, -1);
    for (const { finding, reason } of result.refused) remarks.set(identityOf(finding), remarkOf(finding, reason));
  }
}

/** How often a finding may come back after the edits of others. It stays when two of them undo each other. */
const MOST_RETURNS = 2;

function count(counts: Map<string, number>, finding: EditedFinding, by: number): void {
  const identity = lastingIdentityOf(finding);
  counts.set(identity, (counts.get(identity) ?? 0) + by);
}

function whyStuck({ documentEdits }: EditedFinding): string {
  const isUnknown = documentEdits.length === 0;
  return isUnknown ? 'no value is known to work after the other edits' : 'the finding came back after the other edits';
}

/** A finding with edits of its document. Without advice, there are none. */
interface EditedFinding extends PlacedViolation {
  readonly object: ObjectPlace;
  readonly documentEdits: readonly FieldEdit[];
}

const LATER_START = 'with the other edits, a failed start would end much later, or Ready would come later';

/** The objects of a text, and what is found in them. */
interface Judged {
  readonly manifests: readonly Manifest[];
  readonly findings: EditedFinding[];
  /** The containers for which a check asks for more time to start. */
  readonly mayLast: ReadonlySet<string>;
}

const containerKey = ({ document, path }: ObjectPlace, container: string): string =>
  JSON.stringify([document, path, container]);

function manifestAt(manifests: readonly Manifest[], { object }: EditedFinding): Manifest | undefined {
  return manifests.find(({ document, path }) => document.index === object.document && equalJson(path, object.path));
}

function findingsIn(source: ManifestText, world: World, selection: AdviceSelection): Judged {
  const { manifests } = manifestsOf(source);
  const { enforcement, honoursComments, known, others } = selection;
  const judged = judgeText({ ...source, manifests, problems: [] }, world, { honoursComments }).violations;
  const found = judged.map((violation) => ({ ...violation, action: laxer(violation.action, enforcement) }));
  const mayLast = found.flatMap(({ check, object, container }) =>
    object && mayAskForTime(check) ? [containerKey(object, container)] : [],
  );
  const asked = withoutKnown(found, known).violations.filter((each) => others?.has(lastingIdentityOf(each)) !== true);
  const findings = shownViolations(asked, selection).flatMap((violation) => {
    const { action, edits = [], object } = violation;
    // An exception says that the workload stays as it is.
    if (action === 'Excepted' || object === undefined) return [];
    const documentEdits = edits.map(({ path, value }) => ({ path: [...object.path, ...path], value }));
    return [{ ...violation, object, documentEdits }];
  });
  return { manifests, findings, mayLast: new Set(mayLast) };
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
 * Returns the first finding of each container, unless a finding before it edits the same field of the object. The
 * advice of a finding is safe alone: two findings of one container may together make its liveness probe too slow. A
 * startup probe is written first: its numbers follow from the other probes as the author wrote them.
 */
function separateFindings(findings: readonly EditedFinding[]): EditedFinding[] {
  const taken = new Set<string>();
  const writesStartup = ({ documentEdits }: EditedFinding): boolean =>
    documentEdits.some(({ path, value }) => path.at(-1) === 'startupProbe' && value !== null);
  const inOrder = findings.toSorted((a, b) => Number(writesStartup(b)) - Number(writesStartup(a)));
  return inOrder.filter(({ object, template, container, documentEdits }) => {
    const edited = documentEdits.map(({ path }) => formatPath(path));
    const places = [JSON.stringify([object.path, template, container]), ...edited];
    if (places.some((place) => taken.has(place))) return false;
    for (const place of places) taken.add(place);
    return true;
  });
}

/** The same finding, before and after elements of lists are added or removed. */
export function lastingIdentityOf({ check, object, template, container, probe, path }: PlacedViolation): string {
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
