import { isJsonObject, member, stringMember, type JsonObject } from '../../base/json/json-value.ts';
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

/**
 * The names in `$(NAME)` references, as the kubelet reads them; `$$` stands for a dollar sign
 * (k8s.io/kubernetes/third_party/forked/golang/expansion, Expand).
 */
export function variableReferences(text: string): readonly string[] {
  let names: string[] | undefined;
  let at = text.indexOf('$');
  while (at >= 0 && at + 1 < text.length) {
    const next = text[at + 1];
    let behind = next === '$' ? at + 2 : at + 1;
    if (next === '(') {
      const end = text.indexOf(')', at);
      if (end < 0) break;
      (names ??= []).push(text.slice(at + 2, end));
      behind = end + 1;
    }
    at = text.indexOf('$', behind);
  }
  return names ?? NO_NAMES;
}

const NO_NAMES: readonly string[] = [];
