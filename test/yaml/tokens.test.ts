import { describe, expect, it } from 'vitest';
import { TooDeep, yamlTokens } from '../../src/yaml/reading/tokens.ts';

describe('tokens of a text that is nested too deeply', () => {
  it.each([
    ['flow', '['.repeat(1000)],
    ['block', '- '.repeat(1000)],
  ])('are not read to the end, in %s style', (_style, text) => {
    const fault = (): unknown => {
      try {
        return yamlTokens(text, { maxDepth: 10 });
      } catch (error) {
        return error;
      }
    };
    expect(fault()).toBeInstanceOf(TooDeep);
    expect((fault() as TooDeep).offset).toBeLessThan(50);
  });

  it('are read to the end as deep as they may be', () => {
    expect(yamlTokens(`${'['.repeat(10)}${']'.repeat(10)}`, { maxDepth: 10 })).toHaveLength(1);
  });
});
