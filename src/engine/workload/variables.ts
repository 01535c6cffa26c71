import { isJsonObject, listMember, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
import { CUT_MARK } from './bounded-container.ts';

/** Where the value of an environment variable comes from: written in the manifest, or read by the kubelet. */
export type VariableSource =
  { readonly from: 'value'; readonly value: string } | { readonly from: 'reference'; readonly isOptional: boolean };

/**
 * The environment variables that a container declares by name; the last entry of a name counts. Undefined for a cut
 * list: nobody knows which entry is the last.
 */
export function declaredVariables(container: JsonObject): ReadonlyMap<string, VariableSource> | undefined {
  const variables = new Map<string, VariableSource>();
  for (const entry of listMember(container, 'env')) {
    const name = isJsonObject(entry) ? stringMember(entry, 'name') : undefined;
    if (name !== undefined && isJsonObject(entry)) variables.set(name, sourceOf(entry));
  }
  // The name of the last entry of a cut list.
  return variables.has(CUT_MARK) ? undefined : variables;
}

function sourceOf(entry: JsonObject): VariableSource {
  const reference = member(entry, 'valueFrom');
  if (!isJsonObject(reference)) return { from: 'value', value: stringMember(entry, 'value') ?? '' };
  const isOptional = Object.values(reference).some((key) => isJsonObject(key) && member(key, 'optional') === true);
  return { from: 'reference', isOptional };
}

/**
 * The names in `$(NAME)` references, as the kubelet reads them; `$$` stands for a dollar sign
 * (k8s.io/kubernetes/third_party/forked/golang/expansion, Expand).
 */
export function variableReferences(text: string): readonly string[] {
  // A name without an end is none; to look for each would take quadratic time.
  const ended = text.slice(0, text.lastIndexOf(')') + 1);
  return [...ended.matchAll(/\$(?:\$|\(([^)]*)\))/g)].flatMap(([, name]) => name ?? []);
}
