import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseYamlDocuments, type YamlDocument, type YamlProblem } from '../../src/yaml/reading/documents.ts';
import { runs } from '../support/runs.ts';

const read = (text: string): { documents: YamlDocument[]; problems: YamlProblem[] } =>
  parseYamlDocuments('app.yaml', text);

/** The values of a text that has nothing wrong with it. */
function values(text: string): unknown[] {
  const { documents, problems } = read(text);
  expect(problems).toEqual([]);
  return documents.map(({ value }) => value);
}

const valueOf = (text: string): unknown => values(text)[0];

/** `line:column: message` */
const complaints = (text: string): string[] =>
  read(text).problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);

function document(text: string): YamlDocument {
  const [first] = read(text).documents;
  if (first === undefined) throw new Error('no document');
  return first;
}

/** `line:column` of a path. */
function place(text: string, path: (string | number)[], key = false): string {
  const { line, column } = document(text).position(path, { key });
  return `${line}:${column}`;
}

describe('scalars', () => {
  // Each line was given to kubectl 1.32 (`kubectl label --local -o json`); this is what it made of it.
  it.each(JSON.parse(readFileSync('test/fixtures/yaml/scalars-of-kubectl.json', 'utf8')) as [string, unknown][])(
    '%s reads as kubectl reads it',
    (text, value) => expect(valueOf(`a: ${text}\n`)).toStrictEqual({ a: value }),
  );

  it('quoted and block text is never anything but text', () =>
    expect(valueOf('a: "010"\nb: |\n  010\nc: >-\n  yes\n')).toEqual({ a: '010', b: '010\n', c: 'yes' }));

  it.each([
    ['a: .inf', '1:4: .inf has no form in JSON'],
    ['a: .NaN', '1:4: .NaN has no form in JSON'],
    ['a: !!int x', '1:10: x is no !!int'],
    ['a: !!binary "!"', '1:13: ! is no !!binary'],
  ])('%s cannot be sent to a cluster', (text, complaint) => {
    expect(complaints(text)).toEqual([complaint]);
    expect(read(text).documents).toEqual([]);
  });
});

describe('keys', () => {
  it('become strings as kubectl makes them', () =>
    expect(valueOf('8080: a\ntrue: b\n1.5: c\n010: d\n"010": e\n!!str 9: f\noff: g\n')).toEqual({
      '8080': 'a',
      true: 'b',
      '1.5': 'c',
      '8': 'd',
      '010': 'e',
      '9': 'f',
      false: 'g',
    }));

  it('named like parts of Object are members like any other', () => {
    for (const text of [
      '__proto__: {polluted: 1}\nconstructor: 2\n',
      '{"__proto__": {"polluted": 1}, "constructor": 2}',
    ]) {
      const value = valueOf(text) as Record<string, unknown>;
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(value['polluted']).toBeUndefined();
      expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
    }
  });

  it('that are merged in are never a prototype either', () => {
    const value = valueOf('a: &a {__proto__: {polluted: 1}}\nb: {<<: *a}\n') as Record<string, Record<string, unknown>>;
    expect(Object.keys(value['b'] ?? {})).toEqual(['__proto__']);
    expect(value['b']?.['polluted']).toBeUndefined();
  });

  it('written twice are a problem at the second one, and the last value wins', () => {
    const text = 'a: 1\nb:\n  c: 1\n  d: 2\n  "c": 3\na: 2\n';
    expect(complaints(text)).toEqual([
      '5:3: key "c" is already there in this mapping',
      '6:1: key "a" is already there in this mapping',
    ]);
    expect(document(text).value).toEqual({ a: 2, b: { c: 3, d: 2 } });
  });

  it('that are the same only as JSON are the same', () =>
    expect(complaints('8080: a\n"8080": b\n')).toEqual(['2:1: key "8080" is already there in this mapping']));

  it('written twice in what several aliases lead to are one problem', () =>
    expect(complaints('a: &a {x: 1, x: 2}\nb: *a\nc: *a\n')).toEqual([
      '1:14: key "x" is already there in this mapping',
    ]));

  it('may not be null, mappings or sequences', () => {
    expect(complaints('~: a')).toEqual(['1:1: null cannot be a key']);
    expect(complaints('? [a]\n: b\n')[0]).toMatch(/^1:3: a mapping or sequence cannot be a key/);
    expect(complaints('image: {{ .Values.image }}\n')[0]).toMatch(
      /^1:9: .* text that starts with \{\{ or \[ needs quotes/,
    );
  });
});

describe('aliases and merge keys', () => {
  it('give copies that nobody shares', () => {
    const value = valueOf('a: &a {x: [1]}\nb: *a\nc: *a\n') as Record<string, { x: number[] }>;
    expect(value).toEqual({ a: { x: [1] }, b: { x: [1] }, c: { x: [1] } });
    value['b']?.x.push(2);
    expect(value['a']).toEqual({ x: [1] });
    expect(value['c']).toEqual({ x: [1] });
  });

  it('mean the last anchor of that name before them', () => {
    expect(valueOf('a: &x 1\nb: *x\nc: &x 2\nd: *x\n')).toEqual({ a: 1, b: 1, c: 2, d: 2 });
    expect(valueOf('a: &x {b: &x 1}\nc: *x\n')).toEqual({ a: { b: 1 }, c: 1 });
    expect(valueOf('&key name: a\nb: *key\n')).toEqual({ name: 'a', b: 'name' });
  });

  it('do not reach into the next document', () =>
    expect(complaints('a: &x 1\n---\nb: *x\n')).toEqual(['3:4: unknown anchor "x"']));

  it('merge what a key that comes later overrides', () => {
    const text = 'base: &base {image: x, env: []}\napp: {<<: *base, image: z}\n';
    expect(valueOf(text)).toEqual({ base: { image: 'x', env: [] }, app: { image: 'z', env: [] } });
  });

  it('override a key that comes before, as they do in kubectl', () =>
    expect(valueOf('b: &b {x: 1}\na: {x: 2, <<: *b}\n')).toEqual({ b: { x: 1 }, a: { x: 1 } }));

  it('merge lists of mappings of which the first wins', () => {
    const text = 'b: &b {x: 1}\nc: &c {x: 2, z: 3}\na: {<<: [*b, *c]}\nd:\n  <<: [{x: 9}, *c]\n';
    expect(valueOf(text)).toMatchObject({ a: { x: 1, z: 3 }, d: { x: 9, z: 3 } });
  });

  it('merge when tagged, and not when quoted', () => {
    expect(valueOf('b: &b {x: 1}\na: {!!merge <<: *b}\n')).toMatchObject({ a: { x: 1 } });
    expect(valueOf('b: &b {x: 1}\na: {"<<": *b}\n')).toMatchObject({ a: { '<<': { x: 1 } } });
  });

  it('merge nothing but mappings', () => {
    expect(complaints('a: {<<: 5}\n')).toEqual(['1:9: a merge key (<<) needs a mapping or a sequence of mappings']);
    expect(complaints('a:\n  <<:\n').length).toBe(1);
  });

  it('that contain themselves are a problem', () => {
    expect(complaints('a: &a\n  b: *a\n')).toEqual(['2:6: anchor "a" contains itself']);
    expect(complaints('a: &a {<<: *a}\n')).toEqual(['1:12: anchor "a" contains itself']);
    expect(complaints('a: &a [&b [*a, *b]]\n')).toHaveLength(1);
  });

  it('may be there by the hundred', () => {
    const text = `probe: &probe {httpGet: {path: /, port: 80}}\nuses:\n${'- <<: *probe\n- *probe\n'.repeat(400)}`;
    const { uses } = valueOf(text) as { uses: unknown[] };
    expect(uses).toHaveLength(800);
    expect(uses[799]).toEqual({ httpGet: { path: '/', port: 80 } });
  });

  const levels = (count: number, line: (level: number) => string): string =>
    Array.from({ length: count }, (_, level) => line(level + 1)).join('');

  it.each([
    ['lists', `l0: &l0 [x, x]\n${levels(60, (n) => `l${n}: &l${n} [*l${n - 1}, *l${n - 1}]\n`)}`],
    ['mappings', `l0: &l0 {x: 1}\n${levels(60, (n) => `l${n}: &l${n} {a: *l${n - 1}, b: *l${n - 1}}\n`)}`],
    ['merges', `l0: &l0 {x: 1}\n${levels(60, (n) => `l${n}: &l${n} {<<: [*l${n - 1}, *l${n - 1}]}\n`)}`],
  ])('that double %s again and again are a problem of that document only', (_name, text) => {
    const { documents, problems } = read(`${text}---\nafter: true\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(/aliases blow this document up/);
    expect(documents.map(({ value }) => value)).toEqual([{ after: true }]);
  });
});

describe('documents', () => {
  it('are what stands between the separators, comments and empty ones not counted', () => {
    const { documents } = read('# only a comment\n---\na: 1\n---\n---\n# nothing\n...\n---\nb: 2\n...\n');
    expect(documents.map(({ index, value }) => ({ index, value }))).toEqual([
      { index: 0, value: { a: 1 } },
      { index: 1, value: { b: 2 } },
    ]);
  });

  it.each(['', '\n', '# comment', '---', '---\n---\n...\n', '\uFEFF', '\r\n# c\r\n'])('are not there in %j', (text) =>
    expect(read(text)).toEqual({ documents: [], problems: [] }),
  );

  it('may start on the line of the separator', () =>
    expect(values('--- {a: 1}\n--- # comment\nb: 2\n--- |\n  text\n--- "x"\n')).toEqual([
      { a: 1 },
      { b: 2 },
      'text\n',
      'x',
    ]));

  it('may have directives', () =>
    expect(values('%YAML 1.1\n---\na: on\n...\n# c\n%YAML 1.2\n---\nb: on\n')).toEqual([{ a: true }, { b: true }]));

  it('may be null when somebody says so', () => expect(values('null\n---\n~\n')).toEqual([null, null]));

  it('are the same with CRLF and with a byte order mark', () => {
    const text = '---\na: "x\n  y"\nb: |\n  1\n  2\nc: plain\n  text\n---\nd: 1\n';
    const expected = [{ a: 'x y', b: '1\n2\n', c: 'plain text' }, { d: 1 }];
    expect(values(text)).toEqual(expected);
    expect(values(text.replaceAll('\n', '\r\n'))).toEqual(expected);
    expect(values(`\uFEFF${text}`)).toEqual(expected);
    expect(values(`${text}\uFEFF---\ne: 1\n`)).toEqual([...expected, { e: 1 }]);
  });

  it('are not cut at dashes inside a line or behind other line separators', () =>
    expect(values('a: x ---\nb: "\u2028---\u2028"\nc: |\n  ---\n  ...\n')).toEqual([
      { a: 'x ---', b: '\u2028---\u2028', c: '---\n...\n' },
    ]));

  it('may have flow collections and quoted text that stand in less than the block around them, as kubectl allows', () => {
    const text = `spec:
  containers:
  - command: ["a",
  "b: c" # comment
]
    args: "x
y"
    env: {
a: {
b: 1 },
}
  - name: 'x

    z'
`;
    expect(valueOf(text)).toEqual({
      spec: { containers: [{ command: ['a', 'b: c'], args: 'x y', env: { a: { b: 1 } } }, { name: 'x\nz' }] },
    });
    expect(place(text, ['spec', 'containers', 0, 'env', 'a', 'b'])).toBe('10:4');
    expect(place(text, ['spec', 'containers', 1, 'name'])).toBe('12:11');
  });

  it('may be JSON, pretty, compact or with tabs', () => {
    const value = { kind: 'List', items: [{ a: 'x\ty', b: [1.5e3, null, true, '\u{1F600}/'], '': {} }], e: [] };
    const escaped = JSON.stringify(value).replace('\u{1F600}/', String.raw`\ud83d\ude00\/`);
    for (const text of [escaped, JSON.stringify(value, null, 2), JSON.stringify(value, null, '\t')])
      expect(valueOf(text)).toEqual(value);
  });
});

describe('JSON objects that follow each other', () => {
  it('are documents without a separator, too, as jq prints them and kubectl takes them', () => {
    const text = '{"a": "}{"}\n{\n  "b": "\\\"{"\n}{"c": {}}\n---\nd: 1\n';
    expect(values(text)).toEqual([{ a: '}{' }, { b: '"{' }, { c: {} }, { d: 1 }]);
    expect(read(text).documents.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(read(text).documents[2]?.position(['c'])).toEqual({ line: 4, column: 8 });
  });

  it('are a problem when they are no JSON', () =>
    expect(complaints('{a: 1}\n{b: 2}\n')).toEqual(['2:1: Unexpected flow-map-start at node end']));
});

describe('problems', () => {
  const broken = (middle: string): string => `a: 1\n---\n${middle}---\nc: 3\n`;

  it.each([
    ['b: [1, 2\n', 4, 1],
    ['b: {x: 1\n', 4, 1],
    ['b: "x\n', 4, 1],
    ['b: c: d\n', 3, 4],
    ['b:\n\t- x\n', 4, 1],
    ['b: @x\n', 3, 4],
    ['b: *nowhere\n', 3, 4],
    ['b:\n- x\n c: d\n', 4, 3],
  ])('in one document leave the others alone: %j', (middle, line, column) => {
    const { documents, problems } = read(broken(middle));
    expect(documents.map(({ index, value }) => ({ index, value }))).toEqual([
      { index: 0, value: { a: 1 } },
      { index: 2, value: { c: 3 } },
    ]);
    expect(problems).toEqual([{ file: 'app.yaml', line, column, message: expect.any(String) as string }]);
  });

  it('of templates say so', () =>
    expect(complaints('{{- if .Values.x }}\na: 1\n{{- end }}\n')).toEqual([
      expect.stringMatching(/is this a template that was not rendered\?/) as string,
    ]));

  it.each([
    ['flow sequences', '['.repeat(10_000)],
    ['closed flow sequences', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['flow mappings', '{a: '.repeat(10_000)],
    ['block sequences', '- '.repeat(10_000)],
    ['explicit keys', '? '.repeat(10_000)],
    ['block mappings', Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
    ['aliases', Array.from({ length: 3000 }, (_, n) => `a${n}: &a${n} [${n === 0 ? 1 : `*a${n - 1}`}]\n`).join('')],
  ])('are what %s nested by the thousand give', (_name, text) => {
    const { documents, problems } = read(`${text}\n---\nafter: true\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toBe('nested more than 500 levels deep');
    expect(documents.map(({ value }) => value)).toEqual([{ after: true }]);
  });

  it('are not what reasonable depth gives', () => expect(read('['.repeat(400) + ']'.repeat(400)).problems).toEqual([]));
});

describe('positions', () => {
  const text = `# comment
kind: List
items:
- metadata: { name: web, labels: {app: "x"} }
  spec:
    containers:
      - name: app   # first
        livenessProbe:
          httpGet: &get
            path: /
        readinessProbe:
          httpGet: *get
        empty:
      -
        name: second
`;
  const container = ['items', 0, 'spec', 'containers', 0];

  it('are those of the value', () => {
    expect(place(text, [])).toBe('2:1');
    expect(place(text, ['kind'])).toBe('2:7');
    expect(place(text, ['items'])).toBe('4:1');
    expect(place(text, ['items', 0, 'metadata', 'labels', 'app'])).toBe('4:40');
    expect(place(text, container)).toBe('7:9');
    expect(place(text, [...container, 'name'])).toBe('7:15');
    expect(place(text, [...container, 'livenessProbe'])).toBe('9:11');
    expect(place(text, [...container, 'empty'])).toBe('13:15');
    expect(place(text, ['items', '0', 'spec', 'containers', 1, 'name'])).toBe('15:15');
  });

  it('are those of the key when asked', () => {
    expect(place(text, ['kind'], true)).toBe('2:1');
    expect(place(text, [...container, 'livenessProbe'], true)).toBe('8:9');
    expect(place(text, [...container, 'livenessProbe', 'httpGet', 'path'], true)).toBe('10:13');
    expect(place(text, container, true)).toBe('7:9');
    expect(place(text, [], true)).toBe('2:1');
  });

  it('are those of the nearest ancestor of what is not there', () => {
    expect(place(text, [...container, 'startupProbe', 'httpGet', 'port'])).toBe('7:9');
    expect(place(text, [...container, 'livenessProbe', 'httpGet', 'port'])).toBe('10:13');
    expect(place(text, [...container, 'livenessProbe', 'httpGet', 'port'], true)).toBe('9:11');
    expect(place(text, ['kind', 'x', 0])).toBe('2:7');
    expect(place(text, ['items', 7])).toBe('4:1');
  });

  it('are those of the alias, and inside it of what was written', () => {
    expect(place(text, [...container, 'readinessProbe', 'httpGet'])).toBe('12:20');
    expect(place(text, [...container, 'readinessProbe', 'httpGet', 'path'])).toBe('10:19');
  });

  it('follow merge keys and the last of two equal keys', () => {
    const merged = 'base: &base\n  image: x\n  env: y\napp:\n  env: z\n  <<: *base\n  image: 1\n  image: 2\n';
    expect(place(merged, ['app', 'env'])).toBe('3:8');
    expect(place(merged, ['app', 'image'])).toBe('8:10');
    expect(place('b: &b {x: 1}\nc: &c {x: 2}\na:\n  <<: [*b, *c]\n', ['a', 'x'])).toBe('1:11');
  });

  it('count lines of the whole file, and no column for a byte order mark', () => {
    const crlf = `\uFEFFa: 1\r\n---\r\nb:\r\n  c: 2\r\n`;
    const [first, second] = read(crlf).documents;
    expect(first?.position(['a'])).toEqual({ line: 1, column: 4 });
    expect(first?.position(['a'], { key: true })).toEqual({ line: 1, column: 1 });
    expect(second?.position(['b', 'c'])).toEqual({ line: 4, column: 6 });
  });

  it('are found in compact JSON', () => {
    expect(place('{"a":{"b":[1,{"c":2}]}}', ['a', 'b', 1, 'c'])).toBe('1:19');
    expect(place('{"a":{"b":[1,{"c":2}]}}', ['a', 'b', 1, 'c'], true)).toBe('1:15');
  });
});

describe('any text', () => {
  it('that is JSON reads as JSON does', () =>
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2, 4, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(isDeepStrictEqual(valueOf(text), JSON.parse(text))).toBe(true);
      }),
      { numRuns: runs(500) },
    ));

  it('that the yaml package wrote for YAML 1.1 with everything quoted reads as it was', () => {
    const options = fc.record({
      indent: fc.constantFrom(1, 2, 3, 4, 8),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
      defaultStringType: fc.constantFrom('QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
      lineWidth: fc.constantFrom(0, 40, 80),
    });
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), options, (value, style) => {
        const expected: unknown = JSON.parse(JSON.stringify(value));
        const text = stringify(expected, { version: '1.1', aliasDuplicateObjects: false, ...style });
        // It never quotes this key, and so makes a merge of it.
        fc.pre(expected !== null && !text.includes('<<:'));
        expect(isDeepStrictEqual(valueOf(text), expected)).toBe(true);
      }),
      { numRuns: runs(500) },
    );
  });

  it('gives documents or problems, never an exception, and positions inside the text', () => {
    const signs =
      'a: |b:|- |{|}|[|]|,|? |: |"|\'|&a |*a|<<: *a|!!int |!|#|\t|\uFEFF|\u2028|x|010|~|\\|\u0000|\ud800'.split('|');
    const lines = ['\n', '\n  ', '\r\n', '---\n', '...\n', '|\n', '>-\n', '%YAML 1.1\n'];
    const pieces = fc.constantFrom(...signs, ...lines);
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const text = parts.join('');
        const count = text.split('\n').length;
        const { documents, problems } = read(text);
        const places = [...problems, ...documents.map((one) => one.position(['a', 0, 'b'], { key: true }))];
        for (const { line, column } of places) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(count);
          expect(column).toBeGreaterThanOrEqual(1);
        }
        for (const { value } of documents)
          expect(isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value)).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });
});
