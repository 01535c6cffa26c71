import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseYamlDocuments, type YamlDocument, type YamlProblem } from '../../../src/yaml/reading/documents.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { runs } from '../../support/runs.ts';

const read = (text: string): { documents: YamlDocument[]; problems: YamlProblem[] } =>
  parseYamlDocuments('app.yaml', text);

/** The values of a text that has nothing wrong with it. */
function values(text: string): unknown[] {
  const { documents, problems } = read(text);
  expect(problems).toEqual([]);
  return documents.map(({ value }) => value);
}

type Path = readonly (string | number)[];

const valueOf = (text: string): unknown => values(text)[0];

describeCases('test/fixtures/yaml/documents.yaml', ['values', 'problems', 'places'], ({ text, document, places }) => {
  const { documents, problems } = read(text as string);
  const placed = documents[(document as number | undefined) ?? 0];
  return {
    // With the number of the document where some are left out.
    values: documents.map(({ index, value }, at) => (index === at ? value : { index, value })),
    problems:
      problems.length === 0 ? undefined : problems.map(({ line, column, message }) => `${line}:${column}: ${message}`),
    places: (places as readonly { readonly path?: Path; readonly key?: Path }[] | undefined)?.map((asked) => {
      const place = placed?.position(asked.path ?? asked.key ?? [], { key: asked.key !== undefined });
      return { ...asked, at: `${place?.line}:${place?.column}` };
    }),
  };
});

describe('scalars', () => {
  // Each line was given to kubectl 1.32 (`kubectl label --local -o json`); this is what it made of it.
  it.each(JSON.parse(readFileSync('test/fixtures/yaml/scalars-of-kubectl.json', 'utf8')) as [string, unknown][])(
    '%s reads as kubectl reads it',
    (text, value) => expect(valueOf(`a: ${text}\n`)).toStrictEqual({ a: value }),
  );
});

describe('keys', () => {
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
});

describe('aliases and merge keys', () => {
  it('give copies that nobody shares', () => {
    const value = valueOf('a: &a {x: [1]}\nb: *a\nc: *a\n') as Record<string, { x: number[] }>;
    expect(value).toEqual({ a: { x: [1] }, b: { x: [1] }, c: { x: [1] } });
    value['b']?.x.push(2);
    expect(value['a']).toEqual({ x: [1] });
    expect(value['c']).toEqual({ x: [1] });
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
  it.each(['\uFEFF', '\r\n# c\r\n'])('are not there in %j', (text) =>
    expect(read(text)).toEqual({ documents: [], problems: [] }),
  );

  it('are the same with CRLF and with a byte order mark', () => {
    const text = '---\na: "x\n  y"\nb: |\n  1\n  2\nc: plain\n  text\n---\nd: 1\n';
    const expected = [{ a: 'x y', b: '1\n2\n', c: 'plain text' }, { d: 1 }];
    expect(values(text)).toEqual(expected);
    expect(values(text.replaceAll('\n', '\r\n'))).toEqual(expected);
    expect(values(`\uFEFF${text}`)).toEqual(expected);
    expect(values(`${text}\uFEFF---\ne: 1\n`)).toEqual([...expected, { e: 1 }]);
  });

  it('are not cut behind other line separators', () =>
    expect(values('b: "\u2028---\u2028"\n')).toEqual([{ b: '\u2028---\u2028' }]));

  it('count lines of the whole file, and no column for a byte order mark', () => {
    const [first, second] = read(`\uFEFFa: 1\r\n---\r\nb:\r\n  c: 2\r\n`).documents;
    expect(first?.position(['a'])).toEqual({ line: 1, column: 4 });
    expect(first?.position(['a'], { key: true })).toEqual({ line: 1, column: 1 });
    expect(second?.position(['b', 'c'])).toEqual({ line: 4, column: 6 });
  });
});

it.each<[string, Path, number]>([
  ['a: [1\n]\nb: 2\n', ['a'], 2],
  ['a: |\n  x\n  y\nb: 1\n', ['a'], 3],
  ['a:\n  b: 1\n  c: 2\nd: 3\n', ['a'], 3],
  ['a:\n  b: 1\nd: 3\n', ['a', 'b'], 2],
  ['a:\nb: 1\n', ['a'], 1],
  ['a: 1\nb: 2\n', ['missing'], 2],
])('in %j the last line of %j is %i', (text, path, line) => expect(read(text).documents[0]?.lastLine(path)).toBe(line));

describe('problems', () => {
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

it('a plain scalar is known as it is written, also behind an alias, and no other value is one', () => {
  const [document] = read('a: 0x1F\nb: "x"\nc: &x yes\nd: *x\ne: [~]\n').documents;
  const written = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => document?.plainScalar([key]));
  expect(written).toEqual(['0x1F', undefined, 'yes', 'yes', undefined, undefined]);
  expect(document?.plainScalar(['e', 0])).toBe('~');
});
