import { isMap, isSeq, visit } from 'yaml';
import type { CST, ParsedNode } from 'yaml';
import { lineIndent, startsLine } from './yaml-text-edits.ts';

/** How a document is laid out, as far as its author has shown. */
export interface Layout {
  /** Spaces that a nested block mapping stands in from the one around it. */
  readonly step: number;
  /** Whether block sequences stand in from the key they belong to. */
  readonly indentSequences: boolean;
  /** True for a document that is one flow collection: JSON, mostly. */
  readonly json: boolean;
  /** True when flow mappings are written `{"a":1}`, without the space. */
  readonly compact: boolean;
  /** White space that JSON stands in by, level by level; undefined when it is written on one line. */
  readonly jsonStep: string | undefined;
  /** Whether flow collections have a space inside their braces, `{ a: 1 }`. */
  readonly flowPadding: boolean;
  /** Line break, for places that show none. */
  readonly eol: string;
}

/** Looks at how the mappings of a document (parsed with its source tokens) are written. */
export function layoutOf(text: string, root: ParsedNode, eol: string): Layout {
  const seen: Measures = { steps: [], sequenceSteps: [], jsonSteps: [], gaps: [], paddings: [] };
  visit(root, {
    Map: (_key, { srcToken }) => {
      if (srcToken?.type === 'block-map') measureBlock(srcToken, seen);
      if (srcToken?.type === 'flow-collection') measureFlow(text, srcToken, seen);
    },
  });
  return {
    step: mostCommon(seen.steps) ?? 2,
    indentSequences: (mostCommon(seen.sequenceSteps) ?? 0) > 0,
    json: (isMap(root) || isSeq(root)) && root.flow === true,
    compact: mostCommon(seen.gaps) === '',
    jsonStep: mostCommon(seen.jsonSteps),
    flowPadding: mostCommon(seen.paddings) ?? false,
    eol,
  };
}

/** What was seen, one entry for each place. */
interface Measures {
  readonly steps: number[];
  readonly sequenceSteps: number[];
  readonly jsonSteps: string[];
  readonly gaps: string[];
  readonly paddings: boolean[];
}

function measureBlock(map: CST.BlockMap, seen: Measures): void {
  for (const { value } of map.items) {
    if (value?.type === 'block-map') seen.steps.push(value.indent - map.indent);
    if (value?.type === 'block-seq') seen.sequenceSteps.push(value.indent - map.indent);
  }
}

function measureFlow(text: string, map: CST.FlowCollection, seen: Measures): void {
  for (const { key, sep, value } of map.items) {
    if (key && sep !== undefined && value !== undefined) seen.gaps.push(joinSources(sep).slice(1));
  }
  const first = map.items[0]?.key;
  if (!first) return;
  if (!startsLine(text, first.offset)) {
    seen.paddings.push(first.offset > map.offset + 1);
    return;
  }
  const outer = lineIndent(text, map.offset);
  const inner = lineIndent(text, first.offset);
  if (inner.startsWith(outer) && inner !== outer) seen.jsonSteps.push(inner.slice(outer.length));
}

function joinSources(tokens: readonly CST.SourceToken[]): string {
  return tokens.map(({ source }) => source).join('');
}

/** Of equally common ones the first seen; undefined when there is none. */
function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce<[Value | undefined, number]>(
    (best, entry) => (entry[1] > best[1] ? entry : best),
    [undefined, 0],
  )[0];
}
