import { isMap, isSeq, visit, type CST, type ParsedNode } from 'yaml';
import { lineIndent, startsLine } from './text-edits.ts';

/** The layout of a document, as far as the existing text shows the layout. */
export interface Layout {
  /** Indentation of a nested block mapping relative to its parent, in spaces. */
  readonly step: number;
  /** True when block sequences are indented below their key. */
  readonly indentSequences: boolean;
  /** True for a document that is one flow collection, usually JSON. */
  readonly json: boolean;
  /** True when flow mappings are written `{"a":1}`, without the space. */
  readonly compact: boolean;
  /** Indentation of one JSON level, as white space. Undefined when the JSON is on one line. */
  readonly jsonStep: string | undefined;
  /** True when flow collections have a space inside their braces: `{ a: 1 }`. */
  readonly flowPadding: boolean;
  /** Line break for places that show no line break of their own. */
  readonly eol: string;
}

/** Measures how the mappings of a document are written. The document must be parsed with its source tokens. */
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
    if (key && sep !== undefined && value !== undefined)
      seen.gaps.push(
        sep
          .map(({ source }) => source)
          .join('')
          .slice(1),
      );
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

/** Returns the most common value. The first value wins a tie. Undefined for an empty list. */
function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return values.find((value) => counts.get(value) === most);
}
