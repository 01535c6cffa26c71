import { isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import { isMergeKey, keyName, mergeSources, resolved, type YamlNode, type YamlTree } from './values.ts';

/** Where a value is written, as offsets in the text of its document. */
export interface Place {
  /** The start of the key; that of the value where there is no key. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
  /** The start and the end of a plain scalar, that of the anchor for an alias. */
  readonly plain: readonly [number, number] | undefined;
}

// A cell has the offsets of a place, and where the members of its value are in the table, or what the value is.
const [START, END, CONTENT, CELL] = [1, 2, 3, 4];
const [OTHER, PLAIN, ROOT] = [0, 1, 2];
/** Before the cells of a collection: their number, and 1 for a mapping. The names of a mapping follow. */
const HEAD = 2;
/** A larger mapping gets an index: a document with 100,000 problems needs 100,000 places. */
const MOST_SCANNED = 256;

/** The places of documents, in about 20 bytes a value: nodes of the library take 30 times as much. */
export class PlaceTables {
  /** A number for each name. Documents of a file have nearly the same names. */
  readonly #names = new Map<string, number>();

  /** Returns what finds the place of the value at a path of a readable document, or of the nearest ancestor. */
  of(tree: YamlTree): (path: readonly (string | number)[]) => Place {
    const cells = new Int32Array(tableOf(tree, this.#names));
    const indexes = new Map<number, ReadonlyMap<number, number>>();
    // The last of two equal keys wins.
    const indexOf = (name: number, content: number, count: number): number => {
      const names = cells.subarray(content + HEAD, content + HEAD + count);
      if (count <= MOST_SCANNED) return names.lastIndexOf(name);
      const known = indexes.get(content) ?? new Map(Array.from(names, (each, index) => [each, index]));
      indexes.set(content, known);
      return known.get(name) ?? -1;
    };
    const child = (at: number, step: string | number): number | undefined => {
      const content = cells[at + CONTENT] ?? OTHER;
      const [count = 0, isMapping] = content > PLAIN ? cells.subarray(content, content + HEAD) : [];
      const index = isMapping ? indexOf(this.#names.get(String(step)) ?? -1, content, count) : Number(step);
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
      return content + HEAD + (isMapping ? count : 0) + index * CELL;
    };
    return (path) => {
      let at = ROOT;
      const isFound = path.every((step) => {
        const next = child(at, step);
        at = next ?? at;
        return next !== undefined;
      });
      const [key = 0, start = 0, end = 0, content = OTHER] = cells.subarray(at, at + CELL);
      const [from = start, to = end] = content < 0 ? cells.subarray(-content, -content + 2) : [];
      return { key, start, end, plain: isFound && (content === PLAIN || content < 0) ? [from, to] : undefined };
    };
  }
}

type Member = readonly [key: ParsedNode | undefined, value: YamlNode];

function tableOf(tree: YamlTree, ids: Map<string, number>): readonly number[] {
  const cells = new Array<number>(ROOT + CELL).fill(OTHER);
  /** The content of values that aliases repeat. */
  const anchored = new Map<YamlNode, number>();
  const contentOf = (node: YamlNode): number => {
    const known = anchored.get(node);
    if (known !== undefined) return known;
    const items = isSeq(node) ? (node.items as YamlNode[]).map((value) => [undefined, value] as const) : undefined;
    const members = isMap(node) ? pairsOf(node) : items;
    const content = members === undefined ? OTHER : collection(members, isMap(node));
    if (node?.anchor !== undefined) anchored.set(node, content);
    return content;
  };
  const write = (at: number, key: ParsedNode | undefined, value: YamlNode): void => {
    const own = value ?? key;
    cells[at] = (key ?? own)?.range[0] ?? 0;
    cells[at + START] = own?.range[0] ?? 0;
    cells[at + END] = own?.range[1] ?? 0;
    const node = resolved(tree, value);
    if (!isScalar(node) || node.type !== 'PLAIN') cells[at + CONTENT] = contentOf(node);
    else cells[at + CONTENT] = node === value ? PLAIN : 2 - cells.push(node.range[0], node.range[1]);
  };
  // A merge key overrides the pairs before it.
  const pairsOf = (map: YAMLMap): readonly Member[] =>
    (map.items as Pair<ParsedNode, YamlNode>[]).flatMap((pair) =>
      isMergeKey(pair.key)
        ? (mergeSources(tree, pair.value) ?? []).flatMap(pairsOf)
        : [[pair.key, pair.value] as const],
    );
  const collection = (members: readonly Member[], isMapping: boolean): number => {
    const at = cells.push(members.length, isMapping ? 1 : 0) - HEAD;
    for (const [key = null] of isMapping ? members : []) {
      const name = keyName(tree, key) ?? '';
      cells.push(ids.get(name) ?? ids.set(name, ids.size).size - 1);
    }
    const first = cells.length;
    for (let left = members.length * CELL; left > 0; left--) cells.push(OTHER);
    for (const [index, [key, value]] of members.entries()) write(first + index * CELL, key, value);
    return at;
  };
  write(ROOT, undefined, tree.root);
  return cells;
}
