import { isJsonObject, member, objectMember, stringMember } from '../../base/json/json-value.ts';
import { CONTAINER_LISTS } from '../../engine/probe/api-defaults.ts';
import type { PathStep } from '../../base/json/field-path.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { PlacedTemplate } from '../../engine/workload/kinds.ts';
import type { Manifest } from './manifest.ts';

/** A key that is written twice in a container. */
export interface DuplicateKey {
  readonly problem: FileProblem;
  readonly container: string;
  /** The place of the key in the object. */
  readonly path: readonly PathStep[];
}

/**
 * The duplicate keys of a file that are in containers of a Pod template. Only a manifest shows a duplicate key: the API
 * server keeps the last value. It merges objects, so two probes of one name can become a probe with two handlers.
 */
export function duplicateKeysIn(
  manifest: Manifest,
  { template, path }: PlacedTemplate,
  problems: readonly FileProblem[],
): DuplicateKey[] {
  const { document } = manifest;
  const candidates = problems.filter(({ file, duplicateKey }) => file === document.file && duplicateKey !== undefined);
  if (candidates.length === 0) return [];
  const keys = new Set(candidates.map(({ duplicateKey }) => duplicateKey));
  const byPlace = new Map(candidates.map((problem) => [placeOf(problem), problem]));
  const found: DuplicateKey[] = [];
  const search = (value: unknown, at: readonly PathStep[], container: string): void => {
    if (Array.isArray(value))
      value.forEach((element: unknown, index) => {
        search(element, [...at, index], container);
      });
    if (!isJsonObject(value)) return;
    for (const [key, inner] of Object.entries(value)) {
      const keyPath = [...at, key];
      const position = keys.has(key) ? document.position([...manifest.path, ...keyPath], { key: true }) : undefined;
      const problem = position && byPlace.get(placeOf(position));
      if (problem?.duplicateKey === key) found.push({ problem, container, path: keyPath });
      search(inner, keyPath, container);
    }
  };
  const spec = objectMember(template, 'spec') ?? {};
  for (const list of CONTAINER_LISTS) {
    const entries = member(spec, list);
    if (!Array.isArray(entries)) continue;
    entries.forEach((entry: unknown, index) => {
      const name = isJsonObject(entry) ? (stringMember(entry, 'name') ?? '') : '';
      search(entry, [...path, 'spec', list, index], name);
    });
  }
  return found;
}

function placeOf({ line, column }: Pick<FileProblem, 'line' | 'column'>): string {
  return `${line}:${column}`;
}
