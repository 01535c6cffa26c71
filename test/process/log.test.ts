import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createLogger, serverLog } from '../../src/process/log.ts';

const PROGRAM = `
import { createLogger, serverLog } from './src/process/log.ts';
const set = globalThis.setTimeout, repeat = globalThis.setInterval;
let timers = 0;
globalThis.setTimeout = (...given) => { timers += 1; return set(...given); };
globalThis.setInterval = (...given) => { timers += 1; return repeat(...given); };
const log = createLogger('info', serverLog());
const atRest = timers;
for (let line = 0; line < 3; line++) log.info({ line }, 'a line');
const withLines = timers;
set(() => { log.info({ atRest, withLines, later: timers }, 'counted'); process.exit(); }, 300);
`;

it('the log has no timer at rest, and one for lines that wait together', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [written] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const lines = written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map(({ msg }) => msg)).toEqual(['a line', 'a line', 'a line', 'counted']);
  expect(lines.at(-1)).toMatchObject({ atRest: 0, withLines: 1, later: 1 });
});

interface Output {
  readonly write: (line: string) => void;
  /** Lets the first write end, which takes as long as the test likes. */
  readonly end: () => void;
  /** Lets the time pass for which lines wait. */
  readonly pass: () => void;
}

/** The sizes of the writes to standard output, and for how long lines wait. */
function writesOf(act: (output: Output) => void): { readonly sizes: readonly number[]; readonly waits: number[] } {
  const sizes: number[] = [];
  const waits: number[] = [];
  const [{ write }, { setTimeout }] = [fs, globalThis];
  const idle = (): void => undefined;
  let [end, pass] = [idle, idle];
  const take = (_: number, bytes: Uint8Array, done: (error: null, size: number) => void): void => {
    sizes.push(bytes.length);
    if (sizes.length > 1) done(null, bytes.length);
    else end = () => done(null, bytes.length);
  };
  const wait = (ring: () => void, milliseconds: number): { readonly unref: () => object } => {
    waits.push(milliseconds);
    pass = ring;
    return { unref: () => ({}) };
  };
  fs.write = take as unknown as typeof fs.write;
  globalThis.setTimeout = wait as unknown as typeof setTimeout;
  try {
    const log = serverLog();
    const output = {
      write: (line: string) => log.write(line),
      end: () => end(),
      pass: () => {
        const ring = pass;
        pass = idle;
        ring();
      },
    };
    act(output);
    output.end();
    output.pass();
  } finally {
    fs.write = write;
    globalThis.setTimeout = setTimeout;
  }
  return { sizes, waits };
}
const linesOf = (bytes: number): string[] => Array.from({ length: bytes / 64 }, () => 'x'.repeat(64));
const KIB = 1024;

it('lines wait until they have 16 KiB together, or for half a second', () => {
  const { sizes, waits } = writesOf(({ write, end, pass }) => {
    write('x'.repeat(16 * KIB - 1));
    pass();
    end();
    write('x'.repeat(16 * KIB - 1));
    write('x');
    write('yz');
    pass();
  });
  expect([sizes, waits]).toEqual([
    [16 * KIB - 1, 16 * KIB, 2],
    [500, 500],
  ]);
});

it('a write has at most 256 KiB, and lines that have no room in 1 MiB are lost', () => {
  const writes = (bytes: number): readonly number[] =>
    writesOf(({ write }) => {
      for (const line of linesOf(bytes)) write(line);
    }).sizes;
  const [first, most] = [16 * KIB, 256 * KIB];
  expect(writes(first + most + 64)).toEqual([first, most, 64]);
  const sizes = writes(4 * KIB * KIB);
  expect(sizes.slice(0, 4)).toEqual([first, most, most, most]);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(KIB * KIB);
});

it('a line has a level, an instant, the fields and a message, and commands no terminal', () => {
  const written: string[] = [];
  const log = createLogger('info', { write: (line) => void written.push(line) });
  log.debug('not written');
  log.warn({ name: '\u001b[31mred' }, 'a line');
  const [line = ''] = written;
  expect([written.length, line.includes('\u001b')]).toEqual([1, false]);
  expect(JSON.parse(line)).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    name: expect.stringContaining('red') as string,
    msg: 'a line',
  });
});
