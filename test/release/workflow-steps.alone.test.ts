import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Step {
  readonly name?: string;
  readonly run?: string;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
const { jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8')) as {
  readonly jobs: Readonly<Record<string, Job>>;
};

function scriptOf(job: string, name: string): string {
  const run = jobs[job]?.steps.find((step) => step.name === name)?.run;
  if (run === undefined) throw new Error(`no step ${name}`);
  return run;
}

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, 'bin'));
  await mkdir(join(directory, 'dist/release'), { recursive: true });
  await writeFile(join(directory, 'dist/release/probewright-chart-0.1.0.tgz'), 'chart');
  await writeFile(join(directory, 'package.json'), '{"version":"0.1.0"}');
});

/** Puts a program in the PATH of the step, which records its arguments. */
async function mock(name: string, script = ''): Promise<void> {
  const path = join(directory, 'bin', name);
  await writeFile(path, `#!/bin/bash\nprintf '%s\\n' "${name} $*" >> "$CALLS"\n${script}\n`);
  await chmod(path, 0o755);
}

/** Runs a step as GitHub does: `bash -e`. */
async function run(script: string, variables: Record<string, string> = {}): Promise<object> {
  const calls = join(directory, 'calls');
  const exported = join(directory, 'environment');
  await writeFile(calls, '');
  await writeFile(exported, '');
  const path = [join(directory, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  const own = { TOKEN: 't', GITHUB_ACTOR: 'jane', GITHUB_ENV: exported, CALLS: calls, PATH: path };
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    execFile(
      'bash',
      ['--norc', '-e', '-c', script],
      { cwd: directory, env: { ...own, ...variables } },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: `${out}${err}`.trim() });
      },
    );
  });
  const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
  return {
    code,
    output,
    calls: lines(await readFile(calls, 'utf8')),
    exported: lines(await readFile(exported, 'utf8')),
  };
}

describe('the step that pushes and signs the chart', () => {
  const script = scriptOf('files', 'Push and sign the chart');
  const digest = `sha256:${'b'.repeat(64)}`;
  const logins = [
    'helm registry login ghcr.io --username jane --password-stdin',
    'cosign login ghcr.io --username jane --password-stdin',
  ];
  const push = 'helm push dist/release/probewright-chart-0.1.0.tgz oci://ghcr.io/probewright/charts';
  const pushing = (what: string): Promise<void> => mock('helm', `if [ "$1" = push ]; then ${what}; fi`);
  beforeEach(() => mock('cosign'));

  it('signs the digest that helm prints', async () => {
    await pushing(`echo "Pushed: chart" >&2; echo "Digest: ${digest}" >&2`);
    expect(await run(script)).toEqual({
      code: 0,
      output: `Pushed: chart\nDigest: ${digest}`,
      calls: [...logins, push, `cosign sign --yes ghcr.io/probewright/charts/probewright@${digest}`],
      exported: [],
    });
  });

  it('shows what helm says when the push fails, and signs nothing', async () => {
    await pushing('echo "Error: denied" >&2; exit 3');
    const calls = [...logins, push];
    expect(await run(script)).toEqual({ code: 3, output: 'Error: denied', calls, exported: [] });
  });

  it('signs nothing without a digest', async () => {
    await pushing('echo "Pushed: chart"');
    expect(await run(script)).toEqual({
      code: 1,
      output: 'Pushed: chart\nhelm push printed no digest of the chart: nothing is signed',
      calls: [...logins, push],
      exported: [],
    });
  });
});

describe('a step that sets a variable', () => {
  it.each([
    ['test', 'Control plane', 'setup-envtest', 'KUBEBUILDER_ASSETS=/assets'],
    ['image', 'Time of the commit', 'git', 'SOURCE_DATE_EPOCH=/assets'],
  ])('ends the job %s when its program fails: %s', async (job, step, program, expected) => {
    await mock('go');
    await mock(program, 'echo /assets');
    expect(await run(scriptOf(job, step))).toMatchObject({ code: 0, exported: [expected] });
    await mock(program, 'exit 1');
    expect(await run(scriptOf(job, step))).toMatchObject({ code: 1, exported: [] });
  });
});

it('a tag that is not the version says so', async () => {
  const script = scriptOf('test', 'The tag is the version of package.json');
  expect(await run(script, { GITHUB_REF_NAME: 'v0.1.0' })).toMatchObject({ code: 0, output: '' });
  expect(await run(script, { GITHUB_REF_NAME: 'v0.2.0' })).toMatchObject({
    code: 1,
    output: 'the tag is v0.2.0, and package.json has 0.1.0',
  });
});

it('each job of a release has these rights and no others', () => {
  const signing = { contents: 'read', packages: 'write', 'id-token': 'write', attestations: 'write' };
  expect(Object.fromEntries(Object.entries(jobs).map(([name, { permissions }]) => [name, permissions]))).toEqual({
    test: { contents: 'read' },
    image: signing,
    files: signing,
    npm: { 'id-token': 'write' },
    release: { contents: 'write' },
  });
});
