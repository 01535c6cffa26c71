import { describe, expect, it } from 'vitest';
import { Scalar } from 'yaml';
import { yamlStreamParts } from '../../../src/yaml/reading/trees.ts';
import { ReadingBudget } from '../../../src/yaml/reading/tokens.ts';
import {
  isMergeKey,
  keyName,
  mergeSources,
  resolved,
  scalarValue,
  treeValue,
  type YamlFault,
  type YamlTree,
} from '../../../src/yaml/reading/values.ts';
import type { Pair, ParsedNode, YAMLMap } from 'yaml';

function treeOf(text: string): YamlTree {
  const [part] = yamlStreamParts(text);
  if (part?.tree === undefined) throw new Error(`no tree: ${JSON.stringify(part?.faults)}`);
  return part.tree;
}

/** The value of a text, with the faults that were found. */
function read(text: string, budget?: ReadingBudget): { value: unknown; faults: YamlFault[] } {
  const faults: YamlFault[] = [];
  return { value: treeValue(treeOf(text), faults, budget), faults };
}

/** The pairs of the mapping at the root. */
const pairsOf = ({ root }: YamlTree): Pair<ParsedNode, ParsedNode>[] => (root as YAMLMap<ParsedNode, ParsedNode>).items;

describe('a value', () => {
  it.each([
    ['a: [1, x, null, true, {b: ~}]\n', { a: [1, 'x', null, true, { b: null }] }],
    ['a:\nb: {c}\n', { a: null, b: { c: null } }],
    ['1: a\ntrue: b\n1.5: c\n', { 1: 'a', true: 'b', 1.5: 'c' }],
    ['x\n', 'x'],
    ['a: &x [1]\nb: *x\n', { a: [1], b: [1] }],
    ['a: &k key\n*k : 1\n', { a: 'key', key: 1 }],
  ])('of %j is %j', (text, value) => expect(read(text)).toEqual({ value, faults: [] }));

  it('may have members with the names of parts of Object', () => {
    const { value } = read('__proto__: {a: 1}\nconstructor: 2\n');
    expect(Object.entries(value as object)).toEqual([
      ['__proto__', { a: 1 }],
      ['constructor', 2],
    ]);
  });

  it('has copies where aliases are, so that no two places share an object', () => {
    const { a, b } = read('a: &x {c: 1}\nb: *x\n').value as Record<string, object>;
    expect(a).toEqual(b);
    expect(a).not.toBe(b);
  });

  it.each([
    ['a: !!int x\n', 'x is no !!int', 9],
    ['a: .inf\n', '.inf has no form in JSON', 3],
    ['a: .nan\n', '.nan has no form in JSON', 3],
    ['? [a]\n: 1\n', 'a mapping or sequence cannot be a key; text that starts with {{ or [ needs quotes', 2],
    ['~: 1\n', 'null cannot be a key', 0],
    ['a: 1\n!!int x: 1\n', 'x is no !!int', 11],
    ['a: &x\n  b: *x\n', 'anchor "x" contains itself', 11],
    ['a: &x [*x]\n', 'anchor "x" contains itself', 7],
    ['a: &x\n  <<: *x\n', 'anchor "x" contains itself', 12],
    ['<<: 1\n', 'a merge key (<<) needs a mapping or a sequence of mappings', 4],
    ['<<: [{a: 1}, 2]\n', 'a merge key (<<) needs a mapping or a sequence of mappings', 4],
    ['{<<}\n', 'a merge key (<<) needs a mapping or a sequence of mappings', 1],
  ])('of %j is not readable: %s', (text, message, offset) =>
    expect(read(text)).toEqual({ value: undefined, faults: [{ offset, message }] }),
  );

  it('is not readable where an alias leads to the fault, at the alias', () => {
    const deep = `a: &x ${'['.repeat(500)}${']'.repeat(500)}\nb: [*x]\n`;
    expect(read(deep)).toEqual({
      value: undefined,
      faults: [{ offset: deep.indexOf('*'), message: 'nested more than 500 levels deep' }],
    });
    expect(read(deep.replace('[*x]', '*x')).faults).toEqual([]);
  });
});

describe('a duplicate key', () => {
  const fault = (offset: number, name: string): YamlFault => ({
    ...{ offset, duplicateKey: name },
    message: `key ${JSON.stringify(name)} is already there in this mapping`,
  });

  it('is told once, and the last value wins', () => {
    expect(read('a: 1\na: 2\n')).toEqual({ value: { a: 2 }, faults: [fault(5, 'a')] });
    expect(read('1: x\n"1": y\n').faults).toEqual([fault(5, '1')]);
    expect(read('a: &x {b: 1, b: 2}\nc: *x\nd: *x\n').faults).toEqual([fault(13, 'b')]);
    expect(read('a: 1\na: 2\na: 3\n').faults).toEqual([fault(5, 'a'), fault(10, 'a')]);
  });

  it('is none of a key that is merged in', () =>
    expect(read('b: &x {p: 1}\na: {p: 2, <<: *x, q: 3}\n')).toEqual({
      value: { b: { p: 1 }, a: { p: 1, q: 3 } },
      faults: [],
    }));
});

describe('a merge key', () => {
  it('gives keys that override those before and are overridden by those behind', () => {
    expect(read('b: &x {p: 1, q: 1}\na: {p: 2, <<: *x, q: 3}\n').value).toMatchObject({ a: { p: 1, q: 3 } });
    expect(read('b: &x {p: 1}\nc: &y {p: 2, q: 2}\na: {<<: [*x, *y]}\n').value).toMatchObject({ a: { p: 1, q: 2 } });
    expect(read('a: {<<: {p: 1}}\n').value).toEqual({ a: { p: 1 } });
  });

  it('is plain or tagged, and a quoted one is an ordinary key', () => {
    const isMerge = (text: string): boolean[] => pairsOf(treeOf(text)).map(({ key }) => isMergeKey(key));
    expect(isMerge('<<: {a: 1}\n')).toEqual([true]);
    expect(isMerge('!!merge <<: {a: 1}\n!!merge "<<": {b: 1}\n')).toEqual([true, true]);
    expect(isMerge('"<<": 1\n!!str <<: 2\na: 3\n')).toEqual([false, false, false]);
    expect(isMergeKey(null)).toBe(false);
    expect(read('"<<": 1\n').value).toEqual({ '<<': 1 });
  });

  it('has mappings as sources, the winning one last, or none', () => {
    const tree = treeOf('x: &x {a: 1}\ny: &y {b: 1}\nboth: [*x, *y]\none: *x\nbad: [*x, 1]\nnone: 1\n');
    const [x, y, both, one, bad, none] = pairsOf(tree).map(({ value }) => value);
    expect(mergeSources(tree, both ?? null)).toEqual([y, x]);
    expect(mergeSources(tree, one ?? null)).toEqual([x]);
    expect(mergeSources(tree, bad ?? null)).toBeUndefined();
    expect(mergeSources(tree, none ?? null)).toBeUndefined();
    expect(mergeSources(tree, null)).toBeUndefined();
  });
});

describe('a node', () => {
  it('is the target of an alias, or itself', () => {
    const tree = treeOf('a: &x 1\nb: *x\n');
    const [a, b] = pairsOf(tree).map(({ value }) => value);
    expect(resolved(tree, b ?? null)).toBe(a);
    expect(resolved(tree, a ?? null)).toBe(a);
    expect(resolved(tree, null)).toBeNull();
    expect(resolved({ ...tree, targets: new Map() }, b ?? null)).toBeNull();
  });

  it('is the name of a key as JSON has it', () => {
    const tree = treeOf('a: &k 1\n*k : 2\n"x": 3\ntrue: 4\n~: 5\n[x]: 6\n!!int x: 7\n');
    expect(pairsOf(tree).map(({ key }) => keyName(tree, key))).toEqual([
      ...['a', '1', 'x', 'true'],
      ...[undefined, undefined, undefined],
    ]);
    expect(keyName(tree, null)).toBeUndefined();
  });

  it('is a scalar by its tag, its quotes and its text', () => {
    const scalar = (value: string, type: Scalar.Type, tag?: string): Scalar =>
      Object.assign(new Scalar(value), { type, ...(tag !== undefined && { tag }) });
    expect(scalarValue(scalar('1', 'PLAIN'))).toBe(1);
    expect(scalarValue(scalar('1', 'QUOTE_DOUBLE'))).toBe('1');
    expect(scalarValue(scalar('1', 'PLAIN', '!'))).toBe('1');
    expect(scalarValue(scalar('1', 'QUOTE_DOUBLE', 'tag:yaml.org,2002:int'))).toBe(1);
    expect(scalarValue(scalar('1', 'PLAIN', 'tag:yaml.org,2002:str'))).toBe('1');
    expect(scalarValue(scalar('x', 'PLAIN', 'tag:yaml.org,2002:int'))).toBeUndefined();
  });
});

describe('values that aliases repeat', () => {
  /** A text in which aliases repeat exactly so many values: of lists in which ten aliases refer to the list before. */
  function repeated(count: number): string {
    const sizes = [1];
    while ((sizes.at(-1) ?? 0) * 10 < count) sizes.push(1 + 10 * (1 + (sizes.at(-1) ?? 0)));
    const anchors = sizes.map((_, level) =>
      level === 0
        ? 'l0: &a0 x\n'
        : `l${level}: &a${level} [${Array<string>(10)
            .fill(`*a${level - 1}`)
            .join(', ')}]\n`,
    );
    // The aliases in the anchored lists repeat values themselves.
    let rest = count - sizes.slice(0, -1).reduce((sum, size) => sum + 10 * size, 0);
    const aliases: string[] = [];
    for (const [level, size] of [...sizes.entries()].reverse())
      for (; rest >= size; rest -= size) aliases.push(`*a${level}`);
    return `${anchors.join('')}last: [${aliases.join(', ')}]\n`;
  }

  it('are 400,000 at most, and the outermost alias is to blame', () => {
    const text = repeated(400_001);
    // The last alias repeats one value, so all values before are allowed.
    expect(text).toMatch(/\*a0\]\n$/);
    expect(read(text)).toEqual({
      value: undefined,
      faults: [{ offset: text.lastIndexOf('*'), message: 'aliases blow this document up to more than 400000 values' }],
    });
  });

  it('are paid from the budget of the reading', () => {
    const budget = (all: number): ReadingBudget => new ReadingBudget({ document: 1_000_000, all });
    const text = 'a: &x [1, 2]\nb: *x\n';
    expect(read(text, budget(3)).faults).toEqual([]);
    expect(read(text, budget(2)).faults).toEqual([
      { offset: 16, message: 'up to here, the files have more than 2 tokens together' },
    ]);
    expect(read('a: [1, 2]\nb: 3\n', budget(0)).faults).toEqual([]);
  });
});
