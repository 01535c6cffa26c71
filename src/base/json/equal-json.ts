import type { Steps } from '../steps.ts';

/**
 * True when two JSON values are equal. The order of an object's members is ignored. An undefined member counts as
 * absent. The function recurses without a depth limit of its own, because parsers limit the depth of a document.
 */
export function equalJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => equalJson(item, other[index]));
  }
  const [members, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const names = definedMembers(members);
  if (names.length !== definedMembers(others).length) return false;
  return names.every((name) => Object.hasOwn(others, name) && equalJson(members[name], others[name]));
}

function definedMembers(object: Record<string, unknown>): string[] {
  return Object.keys(object).filter((name) => object[name] !== undefined);
}

/** Comparing so many values takes about a millisecond. */
const VALUES_A_STEP = 2000;

/** The same in steps, for values of megabytes that somebody else has written. */
export function* equalJsonInSteps(one: unknown, other: unknown): Steps<boolean> {
  const pairs: [unknown, unknown][] = [[one, other]];
  let compared = 0;
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    if (++compared % VALUES_A_STEP === 0) yield;
    const [left, right] = pair;
    if (Object.is(left, right)) continue;
    if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
    if (Array.isArray(left) || Array.isArray(right)) {
      if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
      for (let index = 0; index < left.length; index += 1) {
        if (++compared % VALUES_A_STEP === 0) yield;
        if (!Object.is(left[index], right[index])) pairs.push([left[index], right[index]]);
      }
      continue;
    }
    const [members, others] = [left as Record<string, unknown>, right as Record<string, unknown>];
    const names = definedMembers(members);
    if (names.length > VALUES_A_STEP) yield;
    if (names.length !== definedMembers(others).length) return false;
    for (const name of names) {
      if (++compared % VALUES_A_STEP === 0) yield;
      if (!Object.hasOwn(others, name)) return false;
      if (!Object.is(members[name], others[name])) pairs.push([members[name], others[name]]);
    }
  }
  return true;
}
