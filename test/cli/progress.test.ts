import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Progress, progressBar } from '../../src/cli/output/messages.ts';
import { runProbewright } from './run-probewright.ts';
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
  for (const time of times) progress.show('reading', time, 2000);
  progress.end();
  progress.end();
  return text;
}

const CLEARED = '\r\u001b[K';

describe('progress', () => {
  it('is shown to a person who waits longer than a second, not too often, and is removed', () => {
    const bars = ['reading  [=====================>        ]  75 %', 'reading  [==========================>   ]  90 %'];
    expect(written(80, [500, 1500, 1600, 1800])).toBe(bars.map((bar) => CLEARED + bar).join('') + CLEARED);
  });

  it('is not shown to a pipe, nor when all is done within a second', () => {
    expect(written(undefined, [1500])).toBe('');
    expect(written(80, [500, 900])).toBe('');
  });

  it('has numbers where there is room', () => {
    expect(progressBar('checking', 5, 10, 80, 'objects')).toBe(
      'checking  [==============>               ]  50 %  5 of 10 objects',
    );
    expect(progressBar('checking', 5, 10, 30, 'objects')).toBe('checking  [=====>     ]  50 %');
    expect(progressBar('checking', 5, 10, 12, 'objects')).toBe('50 %');
    expect(progressBar('reading', 0, 0, 80)).toBe('reading  [>                             ]   0 %');
  });

  it('never fills a line of the terminal', () =>
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 300 }), (done, total, columns) => {
        expect(progressBar('checking', done, total, columns, 'objects').length).toBeLessThan(columns);
      }),
    ));

  it('of check begins while a text is read, also within one document, and goes on with the objects', async () => {
    const documents = Array.from({ length: 40 }, (_, index) => `kind: ConfigMap\nmetadata: { name: c${index} }\n`);
    const long = `kind: ConfigMap\ndata:\n${'  - a long document\n'.repeat(20_000)}`;
    const shownFor = async (stdin: string): Promise<string[]> => {
      let clock = 0;
      const { stderr } = await runProbewright(['check', '-'], { stdin, columns: 80, monotonic: () => (clock += 250) });
      return stderr.split(CLEARED).filter((bar) => bar !== '');
    };
    const bars = await shownFor(documents.join('---\n'));
    expect(bars.filter((bar) => bar.startsWith('reading ')).length).toBeGreaterThan(30);
    expect(bars.at(-1)).toMatch(/^checking {2}\[=+> ?\] {2}97 % {2}39 of 40 objects$/);
    const inOne = (await shownFor(long)).filter((bar) => bar.startsWith('reading '));
    expect(inOne.length).toBeGreaterThan(5);
    const percents = inOne.map((bar) => Number(/(\d+) %/.exec(bar)?.[1]));
    expect(percents.toSorted((a, b) => a - b)).toEqual(percents);
    for (const command of ['fix', 'explain']) {
      let clock = 0;
      const options = { stdin: documents.join('---\n'), columns: 80, monotonic: () => (clock += 250) };
      const { stderr } = await runProbewright([command, '-'], options);
      expect(stderr).toMatch(/reading {2}\[/);
    }
  });
});
