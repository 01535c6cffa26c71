import { stringMember } from '../../base/json/json-value.ts';
import { count } from '../../base/text/cut.ts';
import { nameOf, namespaceOf, manifestsIn } from '../input/manifest.ts';
import { findingKey, objectName, type FindingIdentity, type PlacedViolation } from './report.ts';
import type { NamedInputs } from '../input/live.ts';

/**
 * Leaves known findings out. An entry is for one finding: of two equal findings, one entry hides the first.
 *
 * @returns the other findings; how many findings are known; the entries that no finding matches, in their order
 */
export function withoutKnown(
  all: readonly PlacedViolation[],
  entries: readonly FindingIdentity[],
): {
  readonly violations: readonly PlacedViolation[];
  readonly known: number;
  readonly stale: readonly FindingIdentity[];
} {
  const left = Map.groupBy(entries.toReversed(), findingKey);
  const matched = new Set<FindingIdentity>();
  const violations = all.filter((violation) => {
    const entry = left.get(findingKey(violation))?.pop();
    if (entry !== undefined) matched.add(entry);
    return entry === undefined;
  });
  return { violations, known: matched.size, stale: entries.filter((entry) => !matched.has(entry)) };
}

const MOST_LISTED = 10;

/**
 * Reports entries of a baseline that no finding matches, a line each. A run over some of the files cannot tell whether
 * an entry about another workload is stale, so such entries are only counted.
 */
export function staleLines(
  file: string,
  stale: readonly FindingIdentity[],
  { manifests, world }: NamedInputs,
): readonly string[] {
  const known = new Set(
    manifestsIn(manifests).map(({ object }) => {
      const kind = stringMember(object, 'kind') ?? '';
      return objectKey({ kind, namespace: namespaceOf(object) ?? world.namespace, name: nameOf(object) });
    }),
  );
  // Every run reads all policies that apply.
  const ofInputs = stale.filter((entry) => entry.kind.endsWith('ProbePolicy') || known.has(objectKey(entry)));
  const lines = ofInputs.slice(0, MOST_LISTED).map((entry) => `${file}: no longer found: ${described(entry)}`);
  const more = ofInputs.length - lines.length;
  if (more > 0) lines.push(`${file}: no longer found: ${count(more, 'more finding')}`);
  if (ofInputs.length > 0) lines.push(`${file}: --write-baseline ${file} removes such entries`);
  const others = stale.length - ofInputs.length;
  if (others > 0) lines.push(`${file}: ${count(others, 'known finding')} of workloads that are not among the inputs`);
  return lines;
}

function objectKey({ kind, namespace, name }: Pick<FindingIdentity, 'kind' | 'namespace' | 'name'>): string {
  return JSON.stringify([kind, namespace, name]);
}

function described(entry: FindingIdentity): string {
  const place = [entry.container, entry.probe].filter(Boolean).join('.');
  return `${entry.check} of ${objectName(entry)}${place === '' ? '' : ` ${place}`}`;
}
