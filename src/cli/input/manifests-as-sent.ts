import { isJsonObject } from '../../base/json/json-value.ts';
import { numberOrLiteral } from '../../base/json/number-literal.ts';
import type { PathStep } from '../../base/json/field-path.ts';
import type { Manifest } from './manifest.ts';
import type { ParsedText } from './inputs.ts';

/**
 * The manifests of a text as the API server decodes them. In JSON, a number such as `1.0` is a literal that valid-probe
 * rejects. In YAML, kubectl changes `1.0` to 1 before it calls the API server.
 */
export function manifestsAsSent({ text, manifests }: ParsedText): readonly Manifest[] {
  const literal = jsonWithLiterals(text);
  if (literal === undefined) return manifests;
  return manifests.map((manifest) => {
    const object = valueAt(literal, manifest.path);
    return isJsonObject(object) ? { ...manifest, object } : manifest;
  });
}

/**
 * The value of a text that is one JSON document. Numbers that parsing would change are NumberLiterals. Undefined for
 * any other text.
 */
function jsonWithLiterals(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' && context?.source !== undefined ? numberOrLiteral(value, context.source) : value,
    );
  } catch {
    return undefined;
  }
}

/** The value at a path; undefined when there is no such value. */
function valueAt(value: unknown, path: readonly PathStep[]): unknown {
  return path.reduce<unknown>((current, step) => {
    if (Array.isArray(current) && typeof step === 'number') return current[step];
    return isJsonObject(current) && Object.hasOwn(current, step) ? current[String(step)] : undefined;
  }, value);
}
