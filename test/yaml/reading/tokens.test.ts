import { describe, expect, it } from 'vitest';
import { composeDocuments, Unreadable, MAX_DEPTH, yamlTokens } from '../../../src/yaml/reading/tokens.ts';

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

describe('errors of a text', () =>
  it.each([']\n', '- "\\q"\n'])('are a hundred at most, however often %j is wrong', (wrong) => {
    const errorsOf = (count: number): number =>
      composeDocuments(yamlTokens(wrong.repeat(count)), false).flatMap(({ errors }) => errors).length;
    expect([1, 99, 100, 101, 500].map(errorsOf)).toEqual([1, 99, 100, 100, 100]);
  }));
