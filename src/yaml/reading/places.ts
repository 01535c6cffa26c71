import { isMap, isScalar, isSeq, type Pair, type ParsedNode, type YAMLMap } from 'yaml';
import { isMergeKey, keyName, mergeSources, resolved, type YamlNode, type YamlTree } from './values.ts';

/** Where a value is written, as offsets in the text of its document. */
export interface Place {
  /** The start of the key. The root and items of sequences have none, and here the start of the value. */
  readonly key: number;
  readonly start: number;
  readonly end: number;
  /** The start and the end of a plain scalar, that of the anchor for an alias. */
  readonly plain: readonly [number, number] | undefined;
}

type Path = readonly (string | number)[];

// A cell has the offsets of a place, and where the members of its value are in the table.
const [START, END, CONTENT, CELL] = [1, 2, 3, 4];
// What stands in place of members.
const [NOTHING, PLAIN] = [0, 1];
const ROOT = 2;
/** Before the cells of a collection: their number, and 1 for a mapping. The names of a mapping follow. */
const HEAD = 2;
/** A larger mapping gets an index. A document with 100,000 problems needs 100,000 places. */
const MOST_SCANNED = 256;

/**
 * The places of the values of documents, in about 20 bytes a value. Nodes of the library take 30 times as much, and the
 * documents of all files are kept until each is judged.
 */
export class PlaceTables {
  /** A number for each name. Documents of a file have nearly the same names. */
  readonly #names = new Map<string, number>();

  /**
   * Returns a function that finds the place of the value at a path, or of the nearest existing ancestor.
   *
   * @param tree the nodes of a readable document
   */
  of(tree: YamlTree): (path: Path) => Place {
    const cells = new Int32Array(this.#table(tree));
    const indexes = new Map<number, ReadonlyMap<number, number>>();
    const indexOf = (content: number, count: number, name: number): number => {
      const names = cells.subarray(content + HEAD, content + HEAD + count);
      // The last of two equal keys wins.
      if (count <= MOST_SCANNED) return names.lastIndexOf(name);
      const known = indexes.get(content) ?? new Map(Array.from(names, (each, index) => [each, index]));
      indexes.set(content, known);
      return known.get(name) ?? -1;
    };
    const child = (at: number, step: string | number): number => {
      const content = cells[at + CONTENT] ?? NOTHING;
      const count = content > PLAIN ? (cells[content] ?? 0) : 0;
      const isMapping = cells[content + 1] === 1;
      const index = isMapping ? indexOf(content, count, this.#names.get(String(step)) ?? -1) : Number(step);
      if (!Number.isInteger(index) || index < 0 || index >= count) return -1;
      return content + HEAD + (isMapping ? count : 0) + index * CELL;
    };
    return (path) => {
      let at = ROOT;
      let isFound = true;
      for (const step of path) {
        const next = child(at, step);
        isFound = next >= 0;
        if (!isFound) break;
        at = next;
      }
      const [key = 0, start = 0, end = 0, content = NOTHING] = cells.subarray(at, at + CELL);
      const [from, to] = content < 0 ? cells.subarray(-content, -content + 2) : [start, end];
      const plain = isFound && (content === PLAIN || content < 0) ? ([from ?? 0, to ?? 0] as const) : undefined;
      return { key, start, end, plain };
    };
  }

  #table(tree: YamlTree): readonly number[] {
    const cells = new Array<number>(ROOT + CELL).fill(NOTHING);
    /** The content of values that aliases repeat. */
    const anchored = new Map<ParsedNode, number>();
    const allocate = (count: number, names?: readonly number[]): number => {
      const at = cells.push(count, Number(names !== undefined)) - HEAD;
      for (const name of names ?? []) cells.push(name);
      for (let left = count * CELL; left > 0; left--) cells.push(NOTHING);
      return at;
    };
    const contentOf = (node: YamlNode): number => {
      const known = node === null ? NOTHING : anchored.get(node);
      if (known !== undefined) return known;
      const content = isMap(node) ? mapping(node) : isSeq(node) ? sequence(node.items) : NOTHING;
      if (node?.anchor !== undefined) anchored.set(node, content);
      return content;
    };
    const write = (at: number, key: ParsedNode | undefined, value: YamlNode): void => {
      const own = value ?? key;
      cells[at] = (key ?? own)?.range[0] ?? 0;
      cells[at + START] = own?.range[0] ?? 0;
      cells[at + END] = own?.range[1] ?? 0;
      const node = resolved(tree, value);
      const isPlain = isScalar(node) && node.type === 'PLAIN';
      const plain = node === value ? PLAIN : -cells.length;
      cells[at + CONTENT] = isPlain ? plain : contentOf(node);
      if (isPlain && node !== value) cells.push(node.range[0], node.range[1]);
    };
    const sequence = (items: readonly YamlNode[]): number => {
      const at = allocate(items.length);
      for (const [index, item] of items.entries()) write(at + HEAD + index * CELL, undefined, item);
      return at;
    };
    const mapping = (map: YAMLMap): number => {
      const names: number[] = [];
      /** A pair, or the cell of a merged member. */
      const members: (number | Pair<ParsedNode, YamlNode>)[] = [];
      for (const pair of map.items as Pair<ParsedNode, YamlNode>[]) {
        const name = keyName(tree, pair.key);
        if (isMergeKey(pair.key)) {
          for (const source of mergeSources(tree, pair.value) ?? []) {
            const from = contentOf(source as YamlNode);
            const count = cells[from] ?? 0;
            for (let index = 0; index < count; index++) {
              names.push(cells[from + HEAD + index] ?? 0);
              members.push(from + HEAD + count + index * CELL);
            }
          }
        } else if (name !== undefined) {
          names.push(this.#names.get(name) ?? this.#names.set(name, this.#names.size).size - 1);
          members.push(pair);
        }
      }
      const at = allocate(names.length, names);
      for (const [index, member] of members.entries()) {
        const cell = at + HEAD + names.length + index * CELL;
        if (typeof member === 'number') cells.copyWithin(cell, member, member + CELL);
        else write(cell, member.key, member.value);
      }
      return at;
    };
    write(ROOT, undefined, tree.root);
    return cells;
  }
}
