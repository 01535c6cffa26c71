import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VERSION } from '../../src/base/version.ts';
import { packedPackage, type PackedPackage } from '../package/packed-package.ts';
import { writeFiles } from '../support/write-files.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const policies = join(root, 'examples/quick-start/policy.yaml');
const preCommit = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'pre-commit'))
  .find((path) => existsSync(path));
if (preCommit === undefined) console.log('pre-commit is not on the PATH: its tests are skipped');

const pod = (probe: object): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', image: 'web', ports: [{ name: 'http', containerPort: 8080 }], ...probe }] },
  });
const GOOD = pod({});
const WRONG = pod({ readinessProbe: { httpGet: { path: '/r', port: 'htpp' } } });

/** File names that a shell or a parser of flags may misread. pre-commit hands over such names unchanged. */
const HOSTILE_NAMES = [
  '--exclude=x.yaml',
  '--skip=named-port.yaml',
  '-o.yaml',
  '-n.yaml',
  'with space.yaml',
  `quote's "and" $(exit 3).yaml`,
  'two\nlines.yaml',
  'plain.yaml',
];

interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly args: readonly string[];
}

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let packed: PackedPackage;
let hooks: readonly Hook[];

beforeAll(async () => {
  packed = await packedPackage();
  hooks = parse(await readFile(join(root, '.pre-commit-hooks.yaml'), 'utf8')) as readonly Hook[];
}, 180_000);

afterAll(() => packed.remove());

/** The hook, with the packed package in place of the published one. */
function hookOf(id: string): Hook {
  const hook = hooks.find((one) => one.id === id);
  expect(hook?.entry).toContain(`npx --yes --package probewright@${VERSION} probewright-pre-commit `);
  const entry = hook?.entry.replace(`probewright@${VERSION}`, `file:${packed.tarball}`) ?? '';
  return { id, entry, args: hook?.args ?? [] };
}

/** A repository with files. */
async function repository(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(packed.directory, 'shop-'));
  await writeFiles(directory, files);
  return directory;
}

const hostileFiles = (text: string): Promise<string> =>
  repository(Object.fromEntries(HOSTILE_NAMES.map((name) => [name, text])));

async function outcome(program: string, words: readonly string[], cwd: string): Promise<Outcome> {
  try {
    return { code: 0, ...(await run(program, words, { cwd, env: packed.environment() })) };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

/** Runs a hook as pre-commit does: the entry, `args` of the user or else of the hook, the names of the files. */
function runHook(id: string, cwd: string, files: readonly string[], args?: readonly string[]): Promise<Outcome> {
  const { entry, args: ownArgs } = hookOf(id);
  const [program = '', ...words] = entry.split(' ');
  return outcome(program, [...words, ...(args ?? ownArgs), ...files], cwd);
}

/** The program of the hooks without npx, which takes most of the time. */
function runProgram(cwd: string, words: readonly string[]): Promise<Outcome> {
  const program = join(packed.folder, 'bin/probewright-pre-commit.js');
  return outcome(process.execPath, [program, 'check', '--allow-empty', ...words], cwd);
}

/** The files that have findings in a report of check. */
function filesOf({ stdout }: Outcome): readonly string[] {
  const { violations } = JSON.parse(stdout) as { violations: readonly { file: string }[] };
  return [...new Set(violations.map(({ file }) => file))].sort();
}

describe('the hooks of pre-commit', () => {
  it('check every file, whatever its name', async () => {
    const args = ['--output=json', '--only=named-port', '--'];
    const checked = await runHook('probewright-check', await hostileFiles(WRONG), HOSTILE_NAMES, args);
    expect([checked.code, filesOf(checked)]).toEqual([1, [...HOSTILE_NAMES].sort()]);
  });

  it('read no file name as a flag when the user gives no args', async () => {
    const checked = await runHook('probewright-check', await hostileFiles(WRONG), HOSTILE_NAMES);
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain(`${HOSTILE_NAMES.length} errors`);
  });

  it('fix every file, whatever its name', async () => {
    const directory = await hostileFiles(GOOD);
    const { code } = await runHook('probewright-fix', directory, HOSTILE_NAMES, ['--policies', policies, '--']);
    expect(code).toBe(0);
    for (const name of HOSTILE_NAMES)
      expect(await readFile(join(directory, name), 'utf8'), name).toContain('readinessProbe');
  });

  it.each(['--exclude=plain.yaml', '-o.yaml', '-', '--'])('reject the file %j when args have no --', async (name) => {
    const directory = await repository({ [name]: WRONG, 'plain.yaml': WRONG });
    const rejected = await runProgram(directory, ['--strict', name, 'plain.yaml']);
    expect(rejected).toMatchObject({ code: 2, stdout: '' });
    const advice = name === '--' ? 'rename the file' : 'rename the file, or add -- at the end of the args of the hook';
    expect(rejected.stderr).toBe(`probewright: ${JSON.stringify(name)} can be a file or a flag: ${advice}\n`);
  });

  it('reject a flag of args that a committed folder or a broken link has as its path', async () => {
    const directory = await repository({ '--policies=policies/p.yaml': GOOD, 'plain.yaml': GOOD });
    await symlink('nowhere', join(directory, '--strict'));
    for (const [flag, end] of [['--policies=policies/p.yaml'], ['--strict', '--']] as const)
      expect(await runProgram(directory, [flag, ...(end === undefined ? [] : [end]), 'plain.yaml'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`"${flag}" can be a file or a flag`) as string,
      });
  });

  it('check a file named - instead of standard input', async () => {
    const directory = await repository({ '-': WRONG });
    expect((await runProgram(directory, ['--', '-'])).stdout).toContain('named-port');
  });

  it('take args without -- while no file has the name of a flag', async () => {
    const directory = await repository({ 'plain.yaml': WRONG });
    const long = `--exclude=${'x'.repeat(5000)}`;
    expect((await runProgram(directory, ['--only', 'named-port', long, 'plain.yaml'])).code).toBe(1);
  });

  it.skipIf(preCommit === undefined)('run in pre-commit itself, with hostile names and a deleted file', async () => {
    const directory = await hostileFiles(WRONG);
    await writeFile(join(directory, 'deleted.yaml'), WRONG);
    const { args, ...hook } = hookOf('probewright-check');
    expect(args).toEqual(['--']);
    const local = { ...hook, name: 'check', language: 'system', types_or: ['yaml', 'json'], require_serial: true };
    const ownArgs = ['--output=json', '--only=named-port', '--'];
    const config = join(directory, '.pre-commit-config.yaml');
    await writeFile(config, JSON.stringify({ repos: [{ repo: 'local', hooks: [{ ...local, args: ownArgs }] }] }));
    execFileSync('git', ['init', '-q'], { cwd: directory });
    execFileSync('git', ['add', '-A'], { cwd: directory });
    await rm(join(directory, 'deleted.yaml'));
    const { code, stdout } = await outcome(preCommit ?? '', ['run', '--all-files'], directory);
    expect(code).toBe(1);
    expect(stdout).not.toContain('deleted.yaml');
    for (const name of HOSTILE_NAMES) expect(stdout).toContain(JSON.stringify(name));
  });
});
