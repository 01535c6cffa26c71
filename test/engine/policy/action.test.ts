import { describe, expect, it } from 'vitest';
import { ACTIONS, ENFORCEMENTS, laxer, MUTATION_MODES, stricter } from '../../../src/engine/policy/action.ts';

const ORDER = ['Off', 'Excepted', 'Audit', 'Warn', 'Deny'] as const;

describe('of two actions or outcomes', () =>
  it.each(ORDER.flatMap((lax, index) => ORDER.slice(index).map((strict) => [lax, strict] as const)))(
    '%s is laxer than %s, or the same',
    (lax, strict) => {
      expect([stricter(lax, strict), stricter(strict, lax)]).toEqual([strict, strict]);
      expect([laxer(lax, strict), laxer(strict, lax)]).toEqual([lax, lax]);
    },
  ));

describe('the words of a server', () =>
  it('are those of the flags and of the chart', () => {
    expect(ACTIONS).toEqual(['Off', 'Audit', 'Warn', 'Deny']);
    expect(ENFORCEMENTS).toEqual(['Deny', 'Warn', 'Audit']);
    expect(MUTATION_MODES).toEqual(['On', 'Audit', 'Off']);
  }));
