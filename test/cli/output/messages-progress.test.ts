import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Progress } from '../../../src/cli/output/messages.ts';
import { runProbewright } from '../run-probewright.ts';
import type { CommandIo } from '../../../src/cli/io.ts';

function written(stderrColumns: number | undefined, times: number[], env = {}): string {
  let text = '';
  const clock = [0, ...times];
  const io = {
    env,
    stderrColumns,
    stderr: { write: (part: string) => (text += part) },
    monotonic: () => clock.shift() ?? 0,
  };
  const progress = new Progress(io as unknown as CommandIo);
  for (const time of times) progress.show('reading', time, 2000, 'files', 1);
  progress.end();
  progress.end();
  return text;
}

const CLEARED = '\r\u001b[K';

describe('progress', () => {
  it('is one line for a person who waits longer than a second, not too often, and is removed', () => {
    const lines = ['reading  1500 of 2000 files, 1 workload, 1 s', 'reading  2100 of 2000 files, 1 workload, 2 s'];
    expect(written(80, [500, 1500, 1600, 2100])).toBe(lines.map((line) => CLEARED + line).join('') + CLEARED);
  });

  it('is not shown at once to a pipe, nor in a CI, nor when all is done within a second', () => {
    expect(written(undefined, [1500])).toBe('');
    expect(written(80, [500, 900])).toBe('');
    expect(written(80, [1500], { CI: 'true' })).toBe('');
    expect(written(80, [1500], { CI: 'false' })).not.toBe('');
  });

  it('never fills a line of the terminal', () =>
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (columns) => {
        expect(written(columns, [5000]).replaceAll(CLEARED, '').length).toBeLessThan(columns);
      }),
    ));

  it('of check begins while a text is read, also within one document, and goes on with the objects', async () => {
    const documents = Array.from({ length: 40 }, (_, index) => `kind: ConfigMap\nmetadata: { name: c${index} }\n`);
    const long = `{}\n---\n# parsed\n"kind": ConfigMap\ndata:\n${'  - a long document\n'.repeat(20_000)}`;
    const shownFor = async (stdin: string): Promise<string[]> => {
      let clock = 0;
      const { stderr } = await runProbewright(['check', '-'], { stdin, columns: 80, monotonic: () => (clock += 250) });
      return stderr.split(CLEARED).filter((bar) => bar !== '');
    };
    const lines = await shownFor(documents.join('---\n'));
    expect(lines.filter((line) => line.startsWith('reading ')).length).toBeGreaterThan(30);
    expect(lines.at(-1)).toMatch(/^checking {2}39 of 40 objects, \d+ s$/);
    expect((await shownFor(long)).filter((line) => line.startsWith('reading ')).length).toBeGreaterThan(5);
    for (const command of ['fix', 'explain']) {
      let clock = 0;
      const options = { stdin: documents.join('---\n'), columns: 80, monotonic: () => (clock += 250) };
      const { stderr } = await runProbewright([command, '-'], options);
      expect(stderr).toMatch(/reading {2}0 of 1 inputs, \d+ workloads?, \d+ s/);
    }
  });
});
