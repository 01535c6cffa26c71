import { isJsonObject } from '../probes/json.ts';
import { numberOrLiteral } from '../probes/number-literal.ts';
import type { PathStep } from '../policy/problems.ts';

/**
 * The value of a text that is one JSON document, with the numbers that parsing would change kept as NumberLiteral. Undefined for any other text: in
 * YAML, kubectl itself turns 1.0 into 1 before the API server sees it.
 */
export function jsonWithLiterals(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? numberOrLiteral(value, context.source) : value,
    );
  } catch {
    return undefined;
  }
}

/** The value at a path; undefined when there is none. */
export function valueAt(value: unknown, path: readonly PathStep[]): unknown {
  return path.reduce<unknown>((current, step) => {
    if (Array.isArray(current) && typeof step === 'number') return current[step];
    return isJsonObject(current) && Object.hasOwn(current, step) ? current[String(step)] : undefined;
  }, value);
}
