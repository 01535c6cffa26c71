import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const PROGRAM = 'src/probewright.js';
const FILE = 'examples/typo.yaml';
const PRINTS_MODULES = `data:text/javascript,process.on("exit",()=>console.error(JSON.stringify(process.moduleLoadList)))`;

const directory = mkdtempSync(join(tmpdir(), 'probewright-start-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Node's own modules that a process has loaded, without those that Node keeps to itself. */
function loadedBy(args: readonly string[]): ReadonlySet<string> {
  const env = { ...process.env, TMPDIR: directory, NODE_OPTIONS: '' };
  const { stderr } = spawnSync(process.execPath, ['--import', PRINTS_MODULES, ...args], { encoding: 'utf8', env });
  const list = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as readonly string[];
  const names = list.flatMap((entry) => /^NativeModule (?!internal\/)(.+)$/.exec(entry)?.[1] ?? []);
  return new Set(names);
}

/** Files, standard output, and a clock. Each of the others takes longer to load than a file takes to check. */
const NEEDED = new Set([
  ...['assert', 'fs/promises', 'net', 'os', 'process', 'stream', 'stream/promises', 'string_decoder'],
  ...['perf_hooks', 'timers/promises', 'tty', 'worker_threads'],
]);

const bare = loadedBy(['--eval', '0']);

it.each(['check', 'fix', 'explain'])(
  '%s of one file loads no module of Node for networks, keys or programs',
  (name) => {
    const loaded = loadedBy([PROGRAM, name, FILE]);
    expect(loaded).toContain('fs/promises');
    expect([...loaded].filter((module) => !bare.has(module) && !NEEDED.has(module))).toEqual([]);
  },
);

const cacheOf = (folder: string): string[] => readdirSync(folder).filter((entry) => entry === 'node-compile-cache');
const run = (args: readonly string[], temporary: string): { status: number | null; stderr: string } => {
  const env = { PATH: process.env['PATH'], TMPDIR: temporary };
  return spawnSync(process.execPath, [PROGRAM, ...args], { encoding: 'utf8', env });
};

it('a command keeps what Node has compiled, and a directory that cannot be written changes nothing', () => {
  const kept = mkdtempSync(join(directory, 'kept-'));
  const first = run(['check', FILE], kept);
  expect(cacheOf(kept)).toHaveLength(1);
  expect(run(['check', FILE], kept)).toEqual({ ...first, pid: expect.any(Number) as number });
  // A file in the place of a directory is as little writable for root as for anybody else.
  const file = join(directory, 'file');
  writeFileSync(file, '');
  expect(run(['check', FILE], file)).toEqual({ ...first, pid: expect.any(Number) as number });
});
