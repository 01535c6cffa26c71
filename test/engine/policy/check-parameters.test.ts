import { describe, expect, it } from 'vitest';
import { defaultsOf } from '../../../src/engine/policy/check-parameters.ts';

describe('the defaults of parameters', () =>
  it('are those of each parameter, and of each parameter of a group', () => {
    const words = new Set(['a']);
    const bound = { maximum: 3, unit: 'words', at: '' };
    expect(
      defaultsOf({
        seconds: { type: 'integer', default: 30, text: '' },
        on: { type: 'boolean', default: false, text: '' },
        words: { type: 'strings', default: words, count: bound, length: bound, text: '' },
        allowed: { type: 'choices', choices: ['a', 'b'], text: '' },
        group: { type: 'group', fields: { limit: { type: 'integer', default: 0, text: '' } }, text: '' },
      }),
    ).toStrictEqual({ seconds: 30, on: false, words, allowed: undefined, group: { limit: 0 } });
    expect(defaultsOf({})).toEqual({});
  }));
