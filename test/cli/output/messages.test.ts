import { describe, expect, it } from 'vitest';
import { Progress, reportProblems, wasWritten } from '../../../src/cli/output/messages.ts';
import type { CommandIo } from '../../../src/cli/io.ts';

/** Standard error of a command whose clock a test sets. */
function terminal({
  columns = 80,
  env = {},
  start = 5000,
}: { columns?: number | null; env?: object; start?: number } = {}) {
  const state = { text: '', now: start };
  const io = {
    env,
    stderrColumns: columns ?? undefined,
    stderr: { write: (part: string) => (state.text += part) },
    monotonic: () => state.now,
  } as unknown as CommandIo;
  return {
    io,
    /** What was written since the last call. */
    at: (milliseconds: number, act: () => void): string => {
      state.now = start + milliseconds;
      state.text = '';
      act();
      return state.text;
    },
    read: () => state.text,
  };
}

const CLEARED = '\r\u001b[K';

describe('progress', () => {
  it('begins after a second, and then has a line each 200 ms at most', () => {
    const { io, at } = terminal();
    const progress = new Progress(io);
    const shownAt = (time: number): boolean => at(time, () => progress.show('reading', 1, 2, 'files')) !== '';
    const times = [0, 999, 1000, 1001, 1199, 1200, 1399, 1400, 9000, 9199, 9200];
    expect(times.filter(shownAt)).toEqual([1000, 1200, 1400, 9000, 9200]);
  });

  it('has the work, the numbers, the workloads if there are some to tell, and whole seconds since the start', () => {
    const { io, at } = terminal();
    const progress = new Progress(io);
    const line = (time: number, ...more: [] | [number]): string =>
      at(time, () => progress.show('reading', 120, 743, 'files', ...more));
    expect([line(1999), line(2999, 0), line(3999, 1), line(4000, 311)]).toEqual([
      `${CLEARED}reading  120 of 743 files, 1 s`,
      `${CLEARED}reading  120 of 743 files, 0 workloads, 2 s`,
      `${CLEARED}reading  120 of 743 files, 1 workload, 3 s`,
      '',
    ]);
    expect(line(4199, 311)).toBe(`${CLEARED}reading  120 of 743 files, 311 workloads, 4 s`);
  });

  it.each([
    [10, 'reading  '],
    [2, 'r'],
    [1, ''],
    [0, ''],
  ])('leaves the last of %i columns empty', (columns, shown) => {
    const { io, at } = terminal({ columns });
    const progress = new Progress(io);
    expect(at(1000, () => progress.show('reading', 1, 2, 'files'))).toBe(CLEARED + shown);
  });

  it('is removed once at the end, if it was shown, and may be shown again', () => {
    const { io, at } = terminal();
    const progress = new Progress(io);
    const ends = (time: number): string => at(time, () => progress.end());
    expect(ends(10)).toBe('');
    at(1000, () => progress.show('reading', 1, 2, 'files'));
    expect([ends(1001), ends(1002)]).toEqual([CLEARED, '']);
    expect(at(2000, () => progress.show('checking', 1, 2, 'objects'))).toBe(`${CLEARED}checking  1 of 2 objects, 2 s`);
    expect(ends(2001)).toBe(CLEARED);
  });

  it.each([
    ['a pipe', null, {}, false],
    ['a CI', 80, { CI: 'true' }, false],
    ['another CI', 80, { CI: '1' }, false],
    ['a CI that is empty', 80, { CI: '' }, true],
    ['a CI that is 0', 80, { CI: '0' }, true],
    ['a CI that is false', 80, { CI: 'false' }, true],
  ])('is a line that changes on a terminal only: %s', (_name, columns, env, isShown) => {
    const { io, at } = terminal({ columns, env });
    const progress = new Progress(io);
    expect(at(1000, () => progress.show('reading', 1, 2, 'files')) !== '').toBe(isShown);
    expect(at(1001, () => progress.end()) !== '').toBe(isShown);
  });
});

describe('progress where nobody watches', () => {
  it.each([
    ['a pipe', null, {}],
    ['a CI', 80, { CI: 'true' }],
  ])('is a line of a log every five seconds, and nothing before: %s', (_name, columns, env) => {
    const { io, at } = terminal({ columns, env });
    const progress = new Progress(io);
    const linesAt = (time: number): string => at(time, () => progress.show('reading', 3, 64, 'inputs', 7));
    expect([0, 1000, 4999].map(linesAt)).toEqual(['', '', '']);
    expect([5000, 5001, 9999].map(linesAt)).toEqual(['reading  3 of 64 inputs, 7 workloads, 5 s\n', '', '']);
    expect(linesAt(10_500)).toBe('reading  3 of 64 inputs, 7 workloads, 10 s\n');
    expect(at(11_000, () => progress.end())).toBe('');
  });

  it('goes on while something is awaited that tells nothing', async () => {
    const { io, at, read } = terminal({ columns: null });
    const progress = new Progress(io);
    progress.show('reading', 3, 64, 'inputs');
    at(5000, () => undefined);
    const waiting = new Promise<string>((resolve) => {
      const look = setInterval(() => {
        if (read() === '') return;
        clearInterval(look);
        resolve('done');
      }, 10);
    });
    expect(await progress.during(waiting)).toBe('done');
    expect(read()).toBe('reading  3 of 64 inputs, 5 s\n');
    await expect(progress.during(Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('what could not be read', () => {
  const problems = [
    { file: 'apps/web.yaml', line: 12, column: 5, message: 'is no object' },
    { file: 'cluster:shop/pod/web', line: 1, column: 1, message: 'is\nhidden' },
  ];

  it('is a line each, with lines of files', () => {
    const { io, read } = terminal();
    reportProblems(problems, io);
    expect(read()).toBe('apps/web.yaml:12:5: is no object\ncluster:shop/pod/web:1:1: is\\nhidden\n');
  });

  it('has no lines where it is an object of a cluster', () => {
    const { io, read } = terminal();
    reportProblems(problems, io, { isFromCluster: true });
    expect(read()).toContain('cluster:shop/pod/web: is\\nhidden\n');
  });

  it('is nothing without problems', () => {
    const { io, read } = terminal();
    reportProblems([], io);
    expect(read()).toBe('');
  });
});

describe('a file that a command writes', () => {
  it('is written without a message', async () => {
    const { io, read } = terminal();
    let isCalled = false;
    const write = (): Promise<void> => {
      isCalled = true;
      return Promise.resolve();
    };
    expect(await wasWritten('explain', 'out/a.svg', io, write)).toBe(true);
    expect([isCalled, read()]).toEqual([true, '']);
  });

  it('is named with the reason if it cannot be written', async () => {
    const { io, read } = terminal();
    const write = (): Promise<void> => Promise.reject(new Error('the disk is full'));
    expect(await wasWritten('explain', 'out/a.svg', io, write)).toBe(false);
    expect(read()).toBe('probewright explain: out/a.svg cannot be written: the disk is full\n');
  });
});
