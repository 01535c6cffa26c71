import { withEdits } from '../json/field-edit.ts';
import { violationKey, withoutEdits } from '../checks/violation.ts';
import type { FieldEdit } from '../json/field-edit.ts';
import type { JsonObject } from '../json/json-value.ts';
import type { Violation } from '../checks/violation.ts';

/** Judges an object. Offline, the violations that only a manifest shows are included. */
export type JudgeAgain = (object: JsonObject) => readonly Violation[];

/**
 * Most rounds in which the advice of one violation is extended by the advice of a violation that the advice causes. A
 * corrected port may show that two probes ask the same endpoint, for example.
 */
const MOST_ROUNDS = 4;

/** Most objects that are judged for the advice of one object. Violations beyond this number get no edits. */
const MOST_TRIALS = 200;

/**
 * Returns the violations with safe edits only. The edits of a violation are made and the object is judged again. The
 * violation must be gone, and no other violation may appear, at any action. If the edits cause a violation that has
 * edits too, the edits are extended by these. Otherwise the edits are removed, and the remedy in words remains. A check
 * cannot decide this alone, because other checks and the parameters of policies also count.
 *
 * This is for commands. The webhook's replies contain no edits.
 */
export function withSafeAdvice(
  object: JsonObject,
  violations: readonly Violation[],
  judgeAgain: JudgeAgain,
): readonly Violation[] {
  if (violations.every(({ edits }) => edits === undefined)) return violations;
  const before = countsOf(violations);
  let trials = 0;
  const judged: JudgeAgain = (edited) => {
    trials += 1;
    return judgeAgain(edited);
  };
  return violations.map((violation) => {
    if (violation.edits === undefined) return violation;
    const edits = trials < MOST_TRIALS ? safeEdits(object, violation, before, judged) : undefined;
    return edits === undefined ? withoutEdits(violation) : { ...violation, edits };
  });
}

/** Returns the edits of a violation, extended until they cause no violation. Undefined when that is not possible. */
function safeEdits(
  object: JsonObject,
  violation: Violation,
  before: ReadonlyMap<string, number>,
  judgeAgain: JudgeAgain,
): readonly FieldEdit[] | undefined {
  const key = violationKey(violation);
  let edits = violation.edits ?? [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const after = judgeAgain(withEdits(object, edits));
    const counts = countsOf(after);
    if ((counts.get(key) ?? 0) >= (before.get(key) ?? 0)) return undefined;
    const caused = after.filter((other) => {
      const otherKey = violationKey(other);
      return (counts.get(otherKey) ?? 0) > (before.get(otherKey) ?? 0);
    });
    if (caused.length === 0) return edits;
    const more = caused.find((other) => other.edits !== undefined)?.edits;
    if (more === undefined) return undefined;
    edits = [...edits, ...more];
  }
  return undefined;
}

/** Counts violations by check, template, container and probe. */
function countsOf(violations: readonly Violation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const violation of violations) {
    const key = violationKey(violation);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
