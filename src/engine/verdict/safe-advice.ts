import { equalJson, type JsonObject } from '../../base/json/json-value.ts';
import { formatPath, valueAt, withEdits, type FieldEdit } from '../../base/json/field-path.ts';
import { PROBE_KINDS } from '../probe/probe.ts';
import { validProbe } from '../checks/valid-probe.ts';
import { CHECK_CATALOGUE } from '../checks/catalogue.ts';
import { yamlFlow } from '../checks/check.ts';
import type { WorkloadKind } from '../workload/kinds.ts';
import { keepsStarts, mayAskForTime } from './kept-starts.ts';
import { withoutEdits, type Violation, violationKey } from '../checks/violation.ts';

/** Judges an object. Offline, the violations that only a manifest shows are included. */
export type JudgeAgain = (object: JsonObject) => readonly Violation[];

const MOST_ROUNDS = 4;

/** The API server names one value that it cannot decode at a time: three probes have so many numbers and ports. */
const MOST_REFUSALS = 24;

/** Most objects that are judged for the advice of one object. Violations beyond this number get no edits. */
const MOST_TRIALS = 200;

/**
 * The violations with safe edits only, for commands. The edits of a violation are made and the object is judged again.
 * The violation must be gone, and no other may appear, at any action. If one with edits appears, the edits are extended
 * by these, and so are the words. Otherwise the edits are removed, and the remedy in words remains. A check cannot
 * decide this alone, because other checks and the parameters of policies count, too. Joined edits keep the starts.
 *
 * @param kind the kind of the object. Undefined: starts are not compared
 */
export function withSafeAdvice(
  object: JsonObject,
  violations: readonly Violation[],
  judgeAgain: JudgeAgain,
  kind?: WorkloadKind,
): readonly Violation[] {
  if (violations.every(({ edits }) => edits === undefined)) return violations;
  const before = countsOf(violations);
  let trials = 0;
  const judged: JudgeAgain = (edited) => {
    trials += 1;
    return judgeAgain(edited);
  };
  const told = new Map<string, Violation>();
  const mayLast = (name: string): boolean =>
    violations.some(({ check, container }) => container === name && mayAskForTime(check));
  const withSafeEdits = (violation: Violation): Violation => {
    if (violation.edits === undefined) return violation;
    // One field has one value in all advice: that of a stricter finding, else of the check that comes first.
    const earlier = violation.edits.map((edit) => otherAdvice(edit, told)).find((other) => other !== undefined);
    const advised = earlier === undefined ? violation : { ...violation, ...adviceOf(earlier) };
    const safe = trials < MOST_TRIALS ? safeEdits(object, advised, before, judged) : undefined;
    const isJoined = safe !== undefined && safe.length > (advised.edits ?? []).length;
    const isLate = isJoined && kind !== undefined && !keepsStarts(object, object, safe, kind, mayLast);
    const edits = isLate || safe?.some((edit) => otherAdvice(edit, told)) ? undefined : safe;
    if (edits === undefined) return withoutEdits(violation);
    const shown = withAllWords(advised, edits);
    for (const { path } of edits) told.set(formatPath(path), shown);
    return shown;
  };
  const isNote = ({ action }: Violation): number => Number(action === 'Audit');
  const inOrder = violations.toSorted((a, b) => isNote(a) - isNote(b));
  const safe = new Map(inOrder.map((violation) => [violation, withSafeEdits(violation)]));
  for (const violation of inOrder) {
    const shown = safe.get(violation);
    if (shown?.edits === undefined) safe.set(violation, withOtherWords(shown ?? violation, violation, told));
  }
  return violations.map((violation) => safe.get(violation) ?? violation);
}

/**
 * A violation whose words alone remain. One field has one value in all words, too: where other advice has told another
 * value, the other advice comes first, and the next run has the number that is then right.
 */
function withOtherWords(shown: Violation, { edits = [] }: Violation, told: Map<string, Violation>): Violation {
  const other = edits.map((edit) => otherAdvice(edit, told)).find((one) => one !== undefined);
  if (other !== undefined)
    return { ...shown, remedy: `first apply the advice of ${other.check}, and then check again` };
  for (const { path } of edits) told.set(formatPath(path), { ...shown, edits });
  return shown;
}

/** The violation whose advice has told another value for the same field. */
function otherAdvice({ path, value }: FieldEdit, told: ReadonlyMap<string, Violation>): Violation | undefined {
  const other = told.get(formatPath(path));
  // Several containers share other fields, such as progressDeadlineSeconds. In a list, each finding writes its element.
  if (!PROBE_KINDS.some((kind) => path.includes(kind)) || Array.isArray(value)) return undefined;
  const isSame = other?.edits?.some((edit) => equalJson(edit.path, path) && equalJson(edit.value, value));
  return isSame ? undefined : other;
}

const adviceOf = ({ edits, remedy }: Violation): Partial<Violation> => ({
  ...(edits && { edits }),
  ...(remedy !== undefined && { remedy }),
});

function safeEdits(
  object: JsonObject,
  violation: Violation,
  before: ReadonlyMap<string, number>,
  judgeAgain: JudgeAgain,
): readonly FieldEdit[] | undefined {
  const key = adviceKey(violation);
  let edits = violation.edits ?? [];
  const rounds = violation.check === validProbe.id ? MOST_REFUSALS : MOST_ROUNDS;
  for (let round = 0; round < rounds; round++) {
    const after = judgeAgain(withEdits(object, edits));
    const counts = countsOf(after);
    if ((counts.get(key) ?? 0) >= (before.get(key) ?? 0)) return undefined;
    const caused = after.filter((other) => {
      if (CHECK_CATALOGUE[other.check]?.notesDefault) return false;
      const otherKey = adviceKey(other);
      return (counts.get(otherKey) ?? 0) > (before.get(otherKey) ?? 0);
    });
    if (caused.length === 0) return edits.filter((edit) => !removesNothing(edit, object, edits));
    const more = caused.find((other) => other.edits !== undefined)?.edits;
    if (more === undefined || caused.some(({ check }) => CHECK_CATALOGUE[check]?.asksForTime)) return undefined;
    // The later value was found in an object that has the earlier one.
    edits = [...edits.filter((edit) => !more.some(({ path }) => equalJson(path, edit.path))), ...more];
  }
  return undefined;
}

/** True for the removal of a field that only replaced edits wrote. */
function removesNothing({ path, value }: FieldEdit, object: JsonObject, edits: readonly FieldEdit[]): boolean {
  return (
    value === null &&
    valueAt(object, path) === undefined &&
    !edits.some((edit) => edit.value !== null && equalJson(edit.path, path.slice(0, edit.path.length)))
  );
}

function withAllWords(violation: Violation, edits: readonly FieldEdit[]): Violation {
  const own = violation.edits ?? [];
  const added = edits.filter((edit) => !own.some((one) => equalJson(one, edit)));
  if (added.length === 0) return { ...violation, edits };
  const verb = isOnlyRemoval(violation) && added[0]?.value !== null ? 'write ' : '';
  const words = verb + added.map((edit) => wordsOf(edit, violation)).join(', and ');
  // The remedy names a value that another has replaced.
  if (!own.every((edit) => edits.some((one) => equalJson(one, edit))))
    return { ...violation, edits, remedy: sentenceOf(edits, violation) };
  const first = violation.remedy ?? 'write';
  // A question such as `did you mean "http"?` ends a sentence.
  const remedy = first.endsWith('?') ? `${first} Also: ${words}` : `${first}, and ${words}`;
  return { ...violation, edits, remedy };
}

const isOnlyRemoval = ({ remedy = '' }: Violation): boolean => remedy.startsWith('remove ') && !/ write /.test(remedy);

/** `write startupProbe: { ... }, and remove httpGet.initialDelaySeconds`. */
function sentenceOf(edits: readonly FieldEdit[], violation: Violation): string {
  const [removed, written] = [true, false].map((isRemoval) =>
    edits.filter(({ value }) => (value === null) === isRemoval).map((edit) => wordsOf(edit, violation)),
  );
  return [...(written?.length ? [`write ${written.join(', and ')}`] : []), ...(removed ?? [])].join(', and ');
}

function wordsOf({ path, value }: FieldEdit, violation: Violation): string {
  const at = path.slice(0, -1).findIndex((step) => PROBE_KINDS.some((kind) => kind === step));
  const isNear = equalJson(path.slice(0, Math.max(at, 0)), violation.path.slice(0, Math.max(at, 0)));
  const field = isNear ? formatPath(at < 0 ? path.slice(-1) : path.slice(at + 1)) : formatPath(path);
  const where = isNear && at >= 0 && path[at] !== violation.probe ? ` in the ${String(path[at])}` : '';
  return value === null ? `remove ${field}${where}` : `${field}: ${yamlFlow(value)}${where}`;
}

function countsOf(violations: readonly Violation[]): ReadonlyMap<string, number> {
  return new Map(Array.from(Map.groupBy(violations, adviceKey), ([key, same]) => [key, same.length]));
}

/** Identity for advice: two rules about two fields of a probe must not cause each other. */
export function adviceKey(violation: Violation): string {
  const field = violation.path.findLast((step) => typeof step === 'string');
  return JSON.stringify([violationKey(violation), field]);
}
