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
  const steps: number[] = [];
  const sequenceSteps: number[] = [];
  const jsonSteps: string[] = [];
  const gaps: string[] = [];
  const paddings: boolean[] = [];
  const measureBlock = (map: CST.BlockMap): void => {
    for (const { value } of map.items) {
      if (value?.type === 'block-map') steps.push(value.indent - map.indent);
      if (value?.type === 'block-seq') sequenceSteps.push(value.indent - map.indent);
    }
  };
  const measureFlow = (map: CST.FlowCollection): void => {
    for (const { key, sep, value } of map.items)
      if (key && sep !== undefined && value !== undefined)
        gaps.push(sep.reduce((gap, { source }) => gap + source, '').slice(1));
    const first = map.items[0]?.key;
    if (!first) return;
    if (!startsLine(text, first.offset)) return void paddings.push(first.offset > map.offset + 1);
    const [outer, inner] = [lineIndent(text, map.offset), lineIndent(text, first.offset)];
    if (inner.startsWith(outer) && inner !== outer) jsonSteps.push(inner.slice(outer.length));
  };
  visit(root, {
    Map: (_key, { srcToken }) => {
      if (srcToken?.type === 'block-map') measureBlock(srcToken);
      if (srcToken?.type === 'flow-collection') measureFlow(srcToken);
    },
  });
  return {
    step: mostCommon(steps) ?? 2,
    indentSequences: (mostCommon(sequenceSteps) ?? 0) > 0,
    json: (isMap(root) || isSeq(root)) && root.flow === true,
    compact: mostCommon(gaps) === '',
    jsonStep: mostCommon(jsonSteps),
    flowPadding: mostCommon(paddings) ?? false,
    eol,
  };
}

/** Returns the most common value. The first value wins a tie. Undefined for an empty list. */
function mostCommon<Value>(values: readonly Value[]): Value | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return values.find((value) => counts.get(value) === most);
}
