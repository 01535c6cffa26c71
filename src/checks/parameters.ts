import type { CheckParameters } from './check.ts';

/** An integer parameter, or the check's own default. */
export function integerParameter(parameters: CheckParameters, name: string, fallback: number): number {
  const value = parameters.get(name);
  return typeof value === 'number' ? value : fallback;
}

/** A boolean parameter; false unless a policy says otherwise. */
export function booleanParameter(parameters: CheckParameters, name: string): boolean {
  return parameters.get(name) === true;
}

/** A list of strings, or the check's own default. */
export function stringsParameter(
  parameters: CheckParameters,
  name: string,
  fallback: readonly string[],
): readonly string[] {
  return stringsOf(parameters.get(name)) ?? fallback;
}

/** A value as a list of strings; undefined when it is none. */
export function stringsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((element) => typeof element === 'string') : undefined;
}

/**
 * A list of strings as a set, or the check's own default. Made once for each policy: a list may be long, and a check runs for each of thousands of
 * containers.
 */
export function stringSetParameter(
  parameters: CheckParameters,
  name: string,
  fallback: ReadonlySet<string>,
): ReadonlySet<string> {
  const value = parameters.get(name);
  if (!Array.isArray(value)) return fallback;
  let set = sets.get(value);
  if (set === undefined) sets.set(value, (set = new Set(stringsOf(value))));
  return set;
}

/** By the list as the policy holds it, which lives as long as the policy. */
const sets = new WeakMap<readonly unknown[], ReadonlySet<string>>();
