import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import {
  endsInBlockScalar,
  renderBlock,
  renderFlow,
  renderFlowKey,
  yamlFromJson,
  yamlQuoted,
} from '../../../src/yaml/editing/rendering.ts';
import { runs } from '../../support/runs.ts';

it('a quoted text is the same to JSON and YAML, and holds no control character, which kubectl would refuse', () => {
  const text = fc.string({ unit: 'binary' });
  const hostile = fc.array(
    fc.oneof(text, fc.constantFrom('\u009b', '\u007f', '\ufffe', '\ufeff', '\u{e0041}', '\\ud83d', '\\')),
  );
  fc.assert(
    fc.property(
      hostile.map((parts) => parts.join('')),
      (value) => {
        const quoted = yamlQuoted(value);
        expect(JSON.parse(quoted)).toBe(value);
        expect(parse(quoted)).toBe(value);
        // The characters that libyaml reads (reader.c, yaml_parser_update_buffer).
        expect(quoted).toMatch(/^[\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      },
    ),
    { numRuns: runs(1000) },
  );
});

describe('a value on one line', () => {
  const plain = { quoted: false, compact: false };
  const value = { path: '/healthz', port: 8080, list: ['a b', null, true], 'odd key': {}, none: [] };

  it('has quotes where a text is no simple word', () => {
    expect(renderFlow(value, plain)).toBe(
      '{path: /healthz, port: 8080, list: ["a b", null, true], "odd key": {}, none: []}',
    );
    for (const text of ['true', 'no', '1', 'a:b', '-x', 'a,b', '', '~'])
      expect(renderFlow(text, plain)).toBe(JSON.stringify(text));
    expect(['web', '/a/b', 'a_b.c-d'].map((text) => renderFlow(text, plain))).toEqual(['web', '/a/b', 'a_b.c-d']);
  });

  it('has quotes everywhere, and no spaces, in a text of JSON', () => {
    expect(renderFlow(value, { quoted: true, compact: true })).toBe(JSON.stringify(value));
    expect(renderFlowKey('port', { quoted: true, compact: true })).toBe('"port":');
    expect(renderFlowKey('port', plain)).toBe('port: ');
  });
});

describe('a value in block style', () => {
  const layout = { step: 2, indentSequences: true, flowPadding: true };
  const lines = (key: string | undefined, value: unknown, more = {}): readonly string[] =>
    renderBlock(key, value, { ...layout, ...more });

  it('begins below its key, or behind a dash', () => {
    expect(lines('probe', { port: 80, list: ['a'] })).toEqual(['probe:', '  port: 80', '  list:', '    - a']);
    expect(lines(undefined, { port: 80 })).toEqual(['- port: 80']);
    expect(lines('list', ['a', 1], { indentSequences: false })).toEqual(['list:', '- a', '- 1']);
    expect(lines('empty', {})).toEqual(['empty: {}']);
  });

  it.each([
    ['yes', '"yes"'],
    ['1e3', '"1e3"'],
    ['12:30', '"12:30"'],
    ['2026-01-01', '"2026-01-01"'],
    ['<<', '"<<"'],
    ['=', '"="'],
    [':a', '":a"'],
    ['a?', '"a?"'],
    ['a\tb', '"a\\tb"'],
    ['caf\u00e9', 'caf\u00e9'],
    ['a b', 'a b'],
    ['$(A)', '$(A)'],
    ['200b\u200b', '"200b\\u200b"'],
  ])('keeps the text %j as %s', (text, written) => {
    expect(lines('key', text)).toEqual([`key: ${written}`]);
    expect(parse(lines('key', text).join('\n'), { version: '1.1' })).toEqual({ key: text });
  });

  it.each([
    ['a\nb\n', ['key: |', '  a', '  b'], true],
    ['a\nb', ['key: |-', '  a', '  b'], true],
    ['a\n', ['key: |', '  a'], true],
    ['a\n\nb', ['key: |-', '  a', '', '  b'], true],
    ['a\nb\n\n', ['key: "a\\nb\\n\\n"'], false],
    ['a \nb', ['key: "a \\nb"'], false],
    [' a\nb', ['key: " a\\nb"'], false],
    ['a\n\tb', ['key: "a\\n\\tb"'], false],
  ])('writes the lines of %j as %j', (text, written, isBlock) => {
    expect(lines('key', text)).toEqual(written);
    expect([endsInBlockScalar(text), endsInBlockScalar({ a: 1, b: ['x', text] })]).toEqual([isBlock, isBlock]);
  });

  it('ends in no block scalar where its last member is another', () =>
    expect([{ a: 'x\ny', b: 1 }, {}, [], null, 1].map(endsInBlockScalar)).toEqual([false, false, false, false, false]));

  it('has a key of several lines in quotes', () => expect(lines('a\nb', 1)).toEqual(['"a\\nb": 1']));
});

it('a JSON text keeps its escapes, but characters above U+FFFF are written out', () =>
  expect(yamlFromJson('{"a":"\\ud83d\\ude00 \\\\ud83d \\n"}')).toBe('{"a":"\ud83d\ude00 \\\\ud83d \\n"}'));
