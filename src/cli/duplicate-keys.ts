import { isJsonObject, member, objectMember, stringMember } from '../probes/json.ts';
import type { PathStep } from '../policy/problems.ts';
import type { FileProblem } from '../sources/policy-documents.ts';
import type { PlacedTemplate } from '../workload/kinds.ts';
import type { Manifest } from './manifests.ts';

/** A key that is written twice in a container. */
export interface DuplicateKey {
  readonly problem: FileProblem;
  readonly container: string;
  /** Where it stands in the object. */
  readonly path: readonly PathStep[];
}

/**
 * Which of a file's duplicate keys stand in the containers of a Pod template. Only a manifest shows them: the API server keeps the last value (and
 * merges objects, so that two probes of one name can end up with two handlers).
 */
export function duplicateKeysIn(
  manifest: Manifest,
  { template, path }: PlacedTemplate,
  problems: readonly FileProblem[],
): DuplicateKey[] {
  const { document } = manifest;
  const candidates = problems.filter(({ file, duplicateKey }) => file === document.file && duplicateKey !== undefined);
  if (candidates.length === 0) return [];
  const found: DuplicateKey[] = [];
  const search = (value: unknown, at: readonly PathStep[], container: string): void => {
    if (Array.isArray(value))
      value.forEach((element: unknown, index) => {
        search(element, [...at, index], container);
      });
    if (!isJsonObject(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const keyPath = [...at, key];
      const named = candidates.filter(({ duplicateKey }) => duplicateKey === key);
      const position =
        named.length === 0 ? undefined : document.position([...manifest.path, ...keyPath], { key: true });
      const problem = named.find(({ line, column }) => line === position?.line && column === position.column);
      if (problem !== undefined) found.push({ problem, container, path: keyPath });
      search(inner, keyPath, container);
    }
  };
  const spec = objectMember(template, 'spec') ?? {};
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    const entries = member(spec, list);
    if (!Array.isArray(entries)) continue;
    entries.forEach((entry: unknown, index) => {
      const name = isJsonObject(entry) ? (stringMember(entry, 'name') ?? '') : '';
      search(entry, [...path, 'spec', list, index], name);
    });
  }
  return found;
}
