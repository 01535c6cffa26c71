import { isJsonObject, member, stringMember } from '../../base/json/json-value.ts';
import { CUT_MARK } from './bounded-container.ts';
import type { JsonObject } from '../../base/json/json-value.ts';

/** Where the value of an environment variable comes from: written in the manifest, or read by the kubelet. */
export type VariableSource =
  { readonly from: 'value'; readonly value: string } | { readonly from: 'reference'; readonly isOptional: boolean };

/**
 * The environment variables that a container declares by name. The last entry of a name counts. Variables of `envFrom`
 * are not declared by name. Undefined for a bounded container whose list is cut: nobody knows which entry of a name is
 * the last.
 */
export function declaredVariables(container: JsonObject): ReadonlyMap<string, VariableSource> | undefined {
  const variables = new Map<string, VariableSource>();
  const entries = member(container, 'env');
  if (!Array.isArray(entries)) return variables;
  for (const entry of entries as unknown[]) {
    const name = isJsonObject(entry) ? stringMember(entry, 'name') : undefined;
    if (name !== undefined && isJsonObject(entry)) variables.set(name, sourceOf(entry));
  }
  const last = entries.at(-1) as unknown;
  return isJsonObject(last) && stringMember(last, 'name') === CUT_MARK ? undefined : variables;
}

function sourceOf(entry: JsonObject): VariableSource {
  const reference = member(entry, 'valueFrom');
  if (!isJsonObject(reference)) return { from: 'value', value: stringMember(entry, 'value') ?? '' };
  const isOptional = Object.values(reference).some((key) => isJsonObject(key) && member(key, 'optional') === true);
  return { from: 'reference', isOptional };
}
