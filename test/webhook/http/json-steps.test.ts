import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonInSteps } from '../../../src/webhook/http/json-steps.ts';
import { runToEnd } from '../../../src/base/steps.ts';

const PIECE = 12;
const inPieces = (text: string): unknown => runToEnd(jsonInSteps(text, PIECE));

function outcome(parse: (text: string) => unknown, text: string): { value: unknown } | 'not JSON' {
  try {
    return { value: parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return 'not JSON';
    throw error;
  }
}

// No key has a backslash: V8 13.6 reads the key "\x" as "\\x" once it has parsed an object with the latter.
const key = fc.constantFrom('a', 'b', '__proto__', 'constructor', '1', '"', ']', '{,');
const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.constantFrom(null, true, 1.5, -0, '', 'x"y', '\\', '[{', ',', 'a long text with , and ] in it'),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => ({ entries })),
  ),
}));

/** As text, with members that come twice and blanks in between. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(written).join(' ,')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { entries } = value as { entries: [string, unknown][] };
  return `{${entries.map(([name, member]) => `${JSON.stringify(name)}\n:${written(member)}`).join(',\t')} }`;
}

describe('JSON that is parsed in steps', () => {
  it('is what JSON.parse makes of it, in the same order', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = written(value);
        const found = inPieces(text);
        expect(found).toEqual(JSON.parse(text));
        expect(JSON.stringify(found)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused where JSON.parse refuses it, whatever sign is lost, added or changed', () => {
    const sign = fc.constantFrom('[', ']', '{', '}', ',', ':', '"', ' ', '0', '');
    fc.assert(
      fc.property(anyJson, fc.nat(), fc.nat({ max: 1 }), sign, (value, position, removed, added) => {
        const text = written(value);
        const at = position % (text.length + 1);
        const changed = text.slice(0, at) + added + text.slice(at + removed);
        expect(outcome(inPieces, changed)).toEqual(outcome(JSON.parse, changed));
      }),
      { numRuns: 5000 },
    );
  });

  it('sets no prototype', () => {
    const text = `{"__proto__":{"a":[${'1,'.repeat(20)}1]},"more":"${'x'.repeat(20)}"}`;
    const found = inPieces(text) as object;
    expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
    expect(Object.keys(found)).toEqual(['__proto__', 'more']);
  });

  it('is left for a step after each piece', () => {
    let steps = 0;
    const parsing = jsonInSteps(`[[${'1,'.repeat(100)}1],{"a":[${'2,'.repeat(100)}2]}]`, PIECE);
    while (parsing.next().done !== true) steps += 1;
    expect(steps).toBeGreaterThan(400 / PIECE / 2);
  });

  it('is refused when it is long and nested deeper than an API server nests', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(() => inPieces(nested(10_003))).toThrow(new RangeError('nested more than 10002 levels deep'));
    expect(() => inPieces(nested(10_002))).not.toThrow();
  });
});
