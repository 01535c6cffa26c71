import { afterEach, describe, expect, it, vi } from 'vitest';
import { policyProblemsIn } from '../../../src/cli/input/world.ts';

const problemAt = (line: number) => ({ file: 'all.yaml', line, column: 1, message: 'wrong' });
const linesOf = (text: string): number[] => {
  const problems = text.split('\n').map((_line, index) => problemAt(index + 1));
  return policyProblemsIn(text, problems).map(({ line }) => line);
};

describe('the problems of policies in a text', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are those of the documents that name the API group, and of the lines around these documents', () => {
    const text = ['a: 1', '---', 'apiVersion: probewright.dev/v1', 'b: 2', '---', 'c: 3', '---', 'd: 4'].join('\n');
    expect(linesOf(text)).toEqual([2, 3, 4, 5]);
  });

  it('are all problems of a text with one policy, and none of a text without policies', () => {
    expect(linesOf('x: 1\napiVersion: probewright.dev/v1\n')).toEqual([1, 2, 3]);
    expect(linesOf('x: 1\n---\ny: 2\n')).toEqual([]);
  });

  it('are found in one pass, also when each line has a problem', () => {
    const text = 'k: v\n'.repeat(500);
    const problems = Array.from({ length: 500 }, (_, index) => problemAt(index + 1));
    const startsWith = vi.spyOn(String.prototype, 'startsWith');
    const includes = vi.spyOn(String.prototype, 'includes');
    const found = policyProblemsIn(text, problems);
    const calls = [startsWith.mock.calls.length, includes.mock.calls.length];
    vi.restoreAllMocks();
    expect(found).toEqual([]);
    expect(calls).toEqual([501, 501]);
  });
});
