import { describe, expect, it } from 'vitest';
import {
  composeDocuments,
  Unreadable,
  MAX_DEPTH,
  ReadingBudget,
  yamlTokens,
} from '../../../src/yaml/reading/tokens.ts';

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

  it('are read to the end one level below that, as levels of values are counted later, and no further', () => {
    const read = (depth: number) => () => yamlTokens('['.repeat(depth) + ']'.repeat(depth));
    expect(read(501)).not.toThrow();
    expect(read(502)).toThrow('nested more than 500 levels deep');
  });
});

describe('errors of a text', () =>
  it.each([']\n', '- "\\q"\n'])('are a hundred at most, however often %j is wrong', (wrong) => {
    const errorsOf = (count: number): number =>
      composeDocuments(yamlTokens(wrong.repeat(count)), false).flatMap(({ errors }) => errors).length;
    expect([1, 99, 100, 101, 500].map(errorsOf)).toEqual([1, 99, 100, 100, 100]);
  }));

describe('the budget of a reading', () => {
  it('is told for the document, and begins anew with the next', () => {
    const budget = new ReadingBudget({ document: 5, all: 100 });
    expect([budget.spend(5), budget.spend(1)]).toEqual([
      undefined,
      'this document has more than 5 tokens; split it with "---" lines',
    ]);
    budget.startDocument();
    expect([budget.spend(5), budget.spend(1)?.slice(0, 13)]).toEqual([undefined, 'this document']);
    expect(budget.spent).toBe(12);
  });

  it('is told for all documents together, before that of the document', () => {
    const budget = new ReadingBudget({ document: 3, all: 4 });
    budget.spend(3);
    budget.startDocument();
    expect([budget.spend(1), budget.isSpent]).toEqual([undefined, false]);
    expect(budget.spend(1)).toBe('up to here, the files have more than 4 tokens together');
    expect(budget.isSpent).toBe(true);
    expect(budget.spend(5)).toContain('the files have more');
  });

  const spent = (text: string): number => {
    const budget = new ReadingBudget({ document: 1e9, all: 1e9 });
    yamlTokens(text, { budget });
    return budget.spent;
  };

  it('counts a long piece of text as a token for four letters, and each of its lines', () => {
    const short = spent(`"${'x'.repeat(13)}"`);
    expect(spent('"x"')).toBe(short);
    expect(spent(`"${'x'.repeat(14)}"`)).toBe(short + 3);
    expect(spent(`"${'x'.repeat(17)}"`)).toBe(short + 3);
    expect(spent(`"${'x'.repeat(18)}"`)).toBe(short + 4);
    const lines = (count: number): number => spent(`"${'xxx\n'.repeat(count)}"`);
    expect(lines(20) - lines(10)).toBe(10 + 10);
  });

  it('ends the reading at the piece that exceeds it', () => {
    const fault = (): unknown => {
      try {
        return yamlTokens('[1, 2, 3, 4]', { budget: new ReadingBudget({ document: 5, all: 100 }) });
      } catch (error) {
        return error;
      }
    };
    expect(fault()).toMatchObject({ message: expect.stringContaining('more than 5 tokens') as string });
    expect((fault() as Unreadable).offset).toBeLessThan(6);
  });
});

it('progress is told every 4,096 pieces', () => {
  const calls = (pieces: number): number => {
    let count = 0;
    // Signs of the lexer count as pieces, too: one for each line, and one at the start.
    yamlTokens('\n'.repeat(pieces), { onProgress: () => (count += 1) });
    return count;
  };
  const first = Array.from({ length: 20 }, (_, index) => 4_086 + index).find((pieces) => calls(pieces) === 1) ?? 0;
  expect(first).toBeGreaterThan(4_086);
  expect([calls(first - 1), calls(first + 4_095), calls(first + 4_096)]).toEqual([0, 1, 2]);
});

it('lines of a flow collection or a quoted text need no indentation only on demand', () => {
  const errors = (anyIndent: boolean): number =>
    composeDocuments(yamlTokens('a: {\n"b": "x\ny"\n}\n', { anyIndent }), false).flatMap((each) => each.errors).length;
  expect([errors(false) > 0, errors(true)]).toEqual([true, 0]);
});

it('source tokens are kept on demand', () => {
  const kept = (keep: boolean): unknown => composeDocuments(yamlTokens('a: 1\n'), keep)[0]?.contents?.srcToken;
  expect([kept(false), kept(true)]).toEqual([undefined, expect.objectContaining({ type: 'block-map' })]);
});
