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
