import { expect, it } from 'vitest';
import { Progress } from '../../src/cli/progress.ts';
import type { CommandIo } from '../../src/cli/io.ts';

function written(stderrColumns: number | undefined, times: number[]): string {
  let text = '';
  const clock = [0, ...times];
  const io = {
    stderrColumns,
    stderr: { write: (part: string) => (text += part) },
    monotonic: () => clock.shift() ?? 0,
  };
  const progress = new Progress(io as unknown as CommandIo);
  for (const time of times) progress.show(`at ${time}`);
  progress.end();
  return text;
}

it('shows progress to a person who waits longer than a second, not too often, and cleans up', () => {
  expect(written(80, [500, 1500, 1600, 1800])).toBe('\r\u001b[Kat 1500\r\u001b[Kat 1800\r\u001b[K');
});

it('says nothing to a pipe, nor when all is done within a second', () => {
  expect(written(undefined, [1500])).toBe('');
  expect(written(80, [500, 900])).toBe('');
});
