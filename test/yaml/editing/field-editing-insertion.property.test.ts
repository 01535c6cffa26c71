import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { withFieldEdits, type DocumentEdit, type EditedText } from '../../../src/yaml/editing/field-editing.ts';
import { YAML_STYLE } from '../yaml-styles.ts';
import { parseYamlDocuments } from '../../../src/yaml/reading/documents.ts';
import { runs } from '../../support/runs.ts';

const probe = { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 5 };

type Path = DocumentEdit['path'];
type Insertion = DocumentEdit & { readonly key: string };

const insertIntoYaml = (text: string, edits: readonly Insertion[]): EditedText =>
  withFieldEdits(
    text,
    edits.map(({ document, path, key, value }) => ({ document, path: [...path, key], value })),
  );

const insertion = (path: Path, key = 'livenessProbe', value: unknown = probe, document = 0): Insertion => ({
  document,
  path,
  key,
  value,
});

/** The text with the insertions in it, which must have been possible in place. */
function inPlace(text: string, ...insertions: Insertion[]): string {
  const result = insertIntoYaml(text, insertions);
  expect(result.reprinted).toEqual([]);
  return result.text;
}

const values = (text: string): unknown[] => parseYamlDocuments('t', text).documents.map(({ value }) => value);

interface InsertionCase {
  readonly name: string;
  readonly text: string;
  readonly edits: readonly (Omit<DocumentEdit, 'document'> & { readonly document?: number })[];
  readonly after: string;
  readonly reprinted?: readonly number[];
}

const CASES = parse(readFileSync('test/fixtures/yaml/insertions.yaml', 'utf8')) as readonly InsertionCase[];

it.each(CASES)('$name', ({ text, edits, after, reprinted = [] }) => {
  const result = withFieldEdits(
    text,
    edits.map((edit) => ({ document: 0, ...edit })),
  );
  expect(result).toEqual({ text: after, reprinted });
  expect(parseYamlDocuments('t', after).problems.length).toBe(parseYamlDocuments('t', text).problems.length);
});

describe('block mappings', () =>
  it.each([
    ['|', '    one\n\n    two\n\n\n'],
    ['|-', '    one\n      two\n'],
    ['|+', '    one\n\n\n'],
    ['>', '    folded\n    text\n\n    more\n'],
    ['>2-', '      leading\n    text\n'],
    ['| # comment', '    # no comment\n'],
  ])('whose last value is a block scalar (%s) keep it', (header, body) => {
    for (const rest of ['', '- name: b\n', '# comment\n- name: b\n', '  # comment\n']) {
      const text = `- name: a\n  script: ${header}\n${body}${rest}`;
      const [before] = values(text);
      const result = inPlace(text, insertion([0], 'x', 1));
      expect(values(result)).toEqual([withKey(before, [0], 'x', 1)]);
    }
  }));

describe('JSON', () => {
  const manifest = {
    kind: 'List',
    items: [{ spec: { containers: [{ name: 'a', ports: [] }, { name: 'b', livenessProbe: null }, {}] }, metadata: {} }],
  };
  const at = (index: number): Path => ['items', 0, 'spec', 'containers', index];
  const insertions = [
    ...[0, 1, 2].map((index) => insertion(at(index))),
    insertion(['items', 0, 'metadata'], 'annotations', { 'x/y': '1' }),
  ];
  const expected = {
    kind: 'List',
    items: [
      {
        spec: {
          containers: [
            { name: 'a', ports: [], livenessProbe: probe },
            { name: 'b', livenessProbe: probe },
            { livenessProbe: probe },
          ],
        },
        metadata: { annotations: { 'x/y': '1' } },
      },
    ],
  };

  it.each([2, 4, 1, '\t', undefined])('indented by %j comes out as JSON.stringify would have it', (indent) => {
    const text = JSON.stringify(manifest, null, indent);
    for (const [end, eol] of [
      ['', '\n'],
      ['\n', '\n'],
      ['\r\n', '\r\n'],
    ] as const) {
      const input = (text + end).replaceAll(/\r?\n/g, eol);
      expect(inPlace(input, ...insertions)).toBe(
        (JSON.stringify(expected, null, indent) + end).replaceAll(/\r?\n/g, eol),
      );
    }
  });

  it('of a mixed form stays JSON', () => {
    const text = '{"a": [\n  {"b": 1,\n   "c": 2},\n  {\n    "d": {} }\n]}\n';
    const result = inPlace(
      text,
      insertion(['a', 0]),
      insertion(['a', 1, 'd'], 'x', [{}, []]),
      insertion([], 'z', false),
    );
    expect(JSON.parse(result)).toEqual({ a: [{ b: 1, c: 2, livenessProbe: probe }, { d: { x: [{}, []] } }], z: false });
  });
});

describe('documents', () => {
  const text = `# first
---
a: 1
---
# nothing here
---
b: [
---
c:
  d: 1
...
# between
---
{"e": 1}
`;

  it('are the same bytes when there is nothing to insert', () =>
    expect(insertIntoYaml(text, [])).toEqual({ text, reprinted: [] }));

  it('are named when an insertion cannot be', () => {
    const attempt =
      (...insertions: Insertion[]) =>
      () =>
        insertIntoYaml(text, insertions);
    expect(attempt(insertion([], 'x', 1, 1))).toThrow(/^document 2: Flow sequence/);
    expect(attempt(insertion([], 'x', 1, 9))).toThrow('document 10: there is no document 10');
  });
});

describe('values', () => {
  it('are plain where nothing misreads that, and quoted elsewhere', () => {
    const strings = ['http', '/healthz', '-c', 'exit 0', 'a#b', "it's", '100Mi', '1.2.3', 'é'];
    const quoted = 'yes|Off|n|8080|010|0o10|0x1F|1_0|1e3|.5|1:30|2001-01-01|| a'.split('|');
    const strange = 'null|~|<<|=|- a|a: b|a #b|*a|&a|!a|@a|%a|{a|[a|"a|a\tb'.split('|');
    const lines = inPlace('a: 1\n', insertion([], 'x', [...strings, ...quoted, ...strange]))
      .split('\n')
      .slice(2, -1);
    expect(lines.slice(0, strings.length)).toEqual(strings.map((text) => `- ${text}`));
    for (const line of lines.slice(strings.length)) expect(line).toMatch(/^- (".*"|'.*')$/);
    expect(values(lines.join('\n'))[0]).toEqual([...strings, ...quoted, ...strange]);
  });

  it('may have more lines than fit into a call as arguments', () => {
    const list = Array.from({ length: 200_000 }, () => 1);
    const text = `a: 1\nx:\n${'- 1\n'.repeat(list.length)}`;
    expect(inPlace('a: 1\n', insertion([], 'x', list)) === text).toBe(true);
  });
});

describe('anchors', () => {
  it.each<[string, string, Path]>([
    ['is an alias', 'a: &a {x: 1}\nb: *a\n', ['b']],
    ['is aliased', 'a: &a {x: 1}\nb: *a\n', ['a']],
    ['is inside an alias', 'a: &a {x: {y: 1}}\nb: *a\n', ['b', 'x']],
    ['is inside something aliased', 'a: &a [{x: {y: 1}}]\nb: *a\n', ['a', 0, 'x']],
    ['comes from a merge key', 'a: &a {x: {y: 1}}\nb:\n  <<: *a\n', ['b', 'x']],
    ['is merged elsewhere', 'a: &a {x: 1}\nb:\n  <<: *a\n', ['a']],
    ['is overridden by a merge key', 'a: &a {x: {y: 1}}\nb:\n  x: {}\n  <<: *a\n', ['b', 'x']],
    ['is a pair in a flow sequence', 'a: [b: 1]\n', ['a', 0]],
  ])('do not make other places change when the mapping %s', (_name, text, path) => {
    for (const input of [text, text.replaceAll('\n', '\r\n'), `# c\r\n# d\r\n${text}`, `\uFEFF${text}`]) {
      const [before] = values(input);
      const { text: after, reprinted } = insertIntoYaml(input, [insertion(path, 'new', { z: 1 })]);
      expect(reprinted).toEqual([0]);
      expect(values(after)).toEqual([withKey(before, path, 'new', { z: 1 })]);
      expect(/\r/.test(after)).toBe(/\r/.test(input));
    }
  });

  it('of null values that are aliased are resolved first', () => {
    const { text, reprinted } = insertIntoYaml('a:\n  p: &n\nb: *n\n', [insertion(['a'], 'p', { x: 1 })]);
    expect({ values: values(text), reprinted }).toEqual({ values: [{ a: { p: { x: 1 } }, b: null }], reprinted: [0] });
  });

  it.each([1, 2, 3, 4])('leave text that starts with spaces as it is where mappings stand in by %i', (step) => {
    const [outer, inner] = [' '.repeat(step), ' '.repeat(2 * step)];
    const text = `a:\n${outer}b:\n${inner}c: |2\n${inner}      deep\n${inner}    less\n${inner}d: >1\n\n${inner}   deep\ne: &e {x: 1}\nf: *e\n`;
    const result = insertIntoYaml(text, [insertion(['f'], 'y', 2)]);
    const value = { b: { c: '    deep\n  less\n', d: '\n  deep\n' } };
    expect(result.reprinted).toEqual([0]);
    expect(values(result.text)).toEqual([{ a: value, e: { x: 1 }, f: { x: 1, y: 2 } }]);
  });

  it('keep every kind of scalar what it was when the document is printed anew', () => {
    const text = `a: &a {x: 1}
b: *a
octal: 010
text: "010"
single: 'it''s'
folded: >-
  some text

  and more
literal: |+
  text

empty:
tagged: !!str 5
collection: !!str {a: 1}
nothing: | # comment
binary: !!binary aGVsbG8=
flow: [010, "8080", ~, {k: , l: null}, plain text, ?x, http://x/?y]
multi: "a
  b"
`;
    const [before] = values(text);
    const result = insertIntoYaml(text, [insertion(['b'], 'y', 2)]);
    expect(result.reprinted).toEqual([0]);
    expect(values(result.text)).toEqual([{ ...(before as object), b: { x: 1, y: 2 } }]);
    expect(result.text).toContain("octal: 010\ntext: \"010\"\nsingle: 'it''s'\n");
    expect(result.text).toContain(
      'tagged: !!str 5\ncollection: {a: 1}\nnothing: "" # comment\nbinary: !!binary aGVsbG8=\n',
    );
  });
});

/** A copy of a JSON value with one key more. */
function withKey(root: unknown, path: Path, key: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(root)) as unknown;
  const parent = path.reduce((node: unknown, step) => (node as Record<string | number, unknown>)[step], copy);
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}

/** The paths of all mappings in a JSON value. */
function mappings(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const steps = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inner = steps.flatMap((step) => mappings((value as Record<string | number, unknown>)[step], [...path, step]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

/** True when one stretch put into `before` makes it `after`. */
function isOneStretchLonger(before: string, after: string): boolean {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  return after.endsWith(before.slice(start));
}

describe('any document', () => {
  const json = fc.jsonValue({ maxDepth: 4 });
  const object = fc.dictionary(fc.string(), json, { minKeys: 1, maxKeys: 5 });
  const blockQuote = fc.constantFrom(true, false, 'folded' as const, 'literal' as const);
  const style = fc.record({ ...YAML_STYLE, blockQuote });
  const textOf = (value: unknown, options: object): string =>
    stringify(value, { version: '1.1', aliasDuplicateObjects: false, ...options });

  it('of the yaml package keeps its other values and all its lines', () =>
    fc.assert(
      fc.property(
        ...[
          fc.array(object, { minLength: 1, maxLength: 3 }),
          style,
          fc.boolean(),
          fc.boolean(),
          fc.nat(),
          fc.nat(),
          fc.string(),
          json,
        ],
        (roots, options, crlf, ended, which, where, key, value) => {
          const joined = roots.map((root) => textOf(root, options)).join('---\n');
          const lines = ended ? joined : joined.replace(/\n$/, '');
          const text = crlf ? lines.replaceAll('\n', '\r\n') : lines;
          const { documents, problems } = parseYamlDocuments('t', text);
          fc.pre(problems.length === 0 && documents.length === roots.length);
          const document = which % documents.length;
          const before = documents[document]?.value;
          const paths = mappings(before);
          const path = paths[where % paths.length] ?? [];
          const parent = path.reduce((node: unknown, step) => (node as Record<string | number, unknown>)[step], before);
          fc.pre(!Object.hasOwn(parent as object, key) && value !== null);
          const result = insertIntoYaml(text, [{ document, path, key, value }]);
          const expected = documents.map((one, index) =>
            index === document ? withKey(before, path, key, value) : one.value,
          );
          expect(isDeepStrictEqual(values(result.text), JSON.parse(JSON.stringify(expected)))).toBe(true);
          expect(result.reprinted).toEqual([]);
          // An empty mapping is replaced.
          if (Object.keys(parent as object).length > 0) expect(isOneStretchLonger(text, result.text)).toBe(true);
        },
      ),
      { numRuns: runs(1000) },
    ));

  it('that is JSON stays JSON, in the same form', () =>
    fc.assert(
      fc.property(
        ...[object, fc.constantFrom(0, 1, 2, 4, '\t'), fc.nat(), fc.string(), json],
        (root, indent, where, key, value) => {
          const input: unknown = JSON.parse(JSON.stringify(root));
          const paths = mappings(input);
          const path = paths[where % paths.length] ?? [];
          const parent = path.reduce((node: unknown, step) => (node as Record<string | number, unknown>)[step], input);
          fc.pre(value !== null && !Object.hasOwn(parent as object, key) && !/^(?:0|[1-9]\d*)$/.test(key));
          const result = inPlace(JSON.stringify(input, null, indent), insertion(path, key, value));
          const output: unknown = JSON.parse(result);
          expect(isDeepStrictEqual(output, JSON.parse(JSON.stringify(withKey(input, path, key, value))))).toBe(true);
          // Commands of CI hosts, such as `##[`, are written with an escape.
          expect(result.replaceAll('#\\u0023', '##')).toBe(JSON.stringify(output, null, indent));
        },
      ),
      { numRuns: runs(1000), examples: [[{ '': [] }, 0, 0, '##[', 0]] },
    ));
});
