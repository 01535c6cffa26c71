import { describe, expect, it } from 'vitest';
import { Unreadable, MAX_DEPTH, yamlTokens } from '../../../src/yaml/reading/tokens.ts';

describe('tokens of a text that is nested too deeply', () => {
  it.each([
    ['flow', '['.repeat(5 * MAX_DEPTH)],
    ['block', '- '.repeat(5 * MAX_DEPTH)],
  ])('are not read to the end, in %s style', (_style, text) => {
    const fault = (): unknown => {
      try {
        return yamlTokens(text);
      } catch (error) {
        return error;
      }
    };
    expect(fault()).toBeInstanceOf(Unreadable);
    expect((fault() as Unreadable).offset).toBeLessThan(2 * MAX_DEPTH + 30);
  });

  it('are read to the end as deep as they may be', () =>
    expect(yamlTokens(`${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`)).toHaveLength(1));
});
