import { isMap, isScalar, isSeq, visit } from 'yaml';
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
  /** Line break, for places that show none. */
  readonly eol: string;
}

/** Looks at how the mappings of a document (parsed with its source tokens) are written. */
export function layoutOf(text: string, root: ParsedNode, eol: string): Layout {
  const steps: number[] = [];
  const sequenceSteps: number[] = [];
  const jsonSteps: string[] = [];
  const gaps: string[] = [];
  visit(root, {
    Map: (_key, { srcToken }) => {
      if (srcToken?.type === 'block-map') measureBlock(srcToken, steps, sequenceSteps);
      if (srcToken?.type === 'flow-collection') measureFlow(text, srcToken, jsonSteps, gaps);
    },
  });
  return {
    step: mostCommon(steps) ?? 2,
    indentSequences: (mostCommon(sequenceSteps) ?? 0) > 0,
    json: (isMap(root) || isSeq(root)) && root.flow === true,
    compact: mostCommon(gaps) === '',
    jsonStep: mostCommon(jsonSteps),
    eol,
  };
}

function measureBlock(map: CST.BlockMap, steps: number[], sequenceSteps: number[]): void {
  for (const { value } of map.items) {
    if (value?.type === 'block-map') steps.push(value.indent - map.indent);
    if (value?.type === 'block-seq') sequenceSteps.push(value.indent - map.indent);
  }
}

function measureFlow(text: string, map: CST.FlowCollection, jsonSteps: string[], gaps: string[]): void {
  for (const { key, sep, value } of map.items) {
    if (!key || sep === undefined || value === undefined) continue;
    gaps.push(sep.map(({ source }) => source).join('').slice(1));
    const outer = lineIndent(text, map.offset);
    const inner = lineIndent(text, key.offset);
    if (startsLine(text, key.offset) && inner.startsWith(outer) && inner !== outer) jsonSteps.push(inner.slice(outer.length));
  }
}

/** Of equally common ones the first seen; undefined when there is none. */
function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].reduce<[Value | undefined, number]>((best, entry) => (entry[1] > best[1] ? entry : best), [undefined, 0])[0];
}
