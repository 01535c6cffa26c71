import fc from 'fast-check';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { yamlQuoted } from '../../../src/yaml/editing/rendering.ts';
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
