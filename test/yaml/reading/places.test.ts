import { describe, expect, it } from 'vitest';
import { parseYamlDocuments } from '../../../src/yaml/reading/documents.ts';

const KEYS = 1_000;

function linesIn(text: string): (...names: string[]) => number[] {
  const { documents, problems } = parseYamlDocuments('a.yaml', text);
  expect(problems).toEqual([]);
  return (...names) => names.map((name) => documents[0]?.position(name.split('.')).line ?? NaN);
}

describe('places in a mapping of a thousand members', () => {
  const members = Array.from({ length: KEYS }, (_, index) => `k${index}: ${index}\n`).join('');

  it('are those of each member, and of the mapping for a name that it lacks', () => {
    expect(linesIn(members)('k0', 'k499', 'k999', 'k1000')).toEqual([1, 500, 1000, 1]);
  });

  it('are those of the merged members, which override the ones before the merge key', () => {
    const text = `base: &base {k7: x, extra: y}\nlarge:\n${members.replaceAll(/^/gm, '  ').trimEnd()}\n  <<: *base\n`;
    expect(linesIn(text)('large.k6', 'large.k7', 'large.extra')).toEqual([9, 1, 1]);
  });
});

it('a value has the lines of its first and its last sign', () => {
  const [document] = parseYamlDocuments('a.yaml', 'a:\n  b: |\n    x\n    y\n  c: 1\nd: 2\n').documents;
  const last = (...path: readonly string[]): number => document?.lastLine(path) ?? NaN;
  expect([last('a'), last('a', 'b'), last('a', 'c'), last('d')]).toEqual([5, 4, 5, 6]);
  expect([document?.end(['a', 'c']), document?.end(['d'])]).toEqual([
    { line: 5, column: 7 },
    { line: 6, column: 5 },
  ]);
});
