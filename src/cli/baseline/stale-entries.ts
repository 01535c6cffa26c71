import { count } from '../../base/text/count.ts';
import { objectName } from '../check-report.ts';
import type { FindingIdentity } from '../finding-identity.ts';

/** Stale entries that are listed one by one. */
const MOST_LISTED = 10;

/**
 * Reports entries of a baseline that no finding matches, a line each. A run over some of the files cannot tell whether
 * an entry about another workload is stale, so such entries are only counted.
 *
 * @param isInput true for an entry about a workload among the inputs
 */
export function staleLines(
  file: string,
  stale: readonly FindingIdentity[],
  isInput: (entry: FindingIdentity) => boolean,
): readonly string[] {
  const ofInputs = stale.filter(isInput);
  const lines = ofInputs.slice(0, MOST_LISTED).map((entry) => `${file}: no longer found: ${described(entry)}`);
  const more = ofInputs.length - lines.length;
  if (more > 0) lines.push(`${file}: no longer found: ${count(more, 'more finding')}`);
  if (ofInputs.length > 0) lines.push(`${file}: --write-baseline ${file} removes such entries`);
  const others = stale.length - ofInputs.length;
  if (others > 0) lines.push(`${file}: ${count(others, 'known finding')} of workloads that are not among the inputs`);
  return lines;
}

function described(entry: FindingIdentity): string {
  const place = [entry.container, entry.probe ?? ''].filter((part) => part !== '').join('.');
  return `${entry.check} of ${objectName(entry)}${place === '' ? '' : ` ${place}`}`;
}
