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
