import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const pod = (port: string, comment = ''): string =>
  `${comment}apiVersion: v1
kind: Pod
metadata: { name: web, namespace: apps }
spec:
  containers:
    - name: app
      ports: [{ name: http, containerPort: 8080 }]
      readinessProbe: { httpGet: { path: /r, port: ${port} } }
`;
const WRONG = pod('htpp');
const RIGHT = pod('http');
const IGNORED = '# probewright: ignore named-port -- the port is added later\n';

const fix = (stdin: string, ...args: string[]): Promise<Ran> =>
  runProbewright(['fix', '-', '--advice', ...args], { stdin, directory });

describe('the advice that fix applies', () => {
  it('is that of all findings without flags', async () => {
    expect(await fix(WRONG)).toEqual({ code: 0, stdout: RIGHT, stderr: '' });
  });

  it.each([
    ['other checks are asked for', ['--only', 'exec-command']],
    ['the check is left out', ['--skip', 'exec-command,named-port']],
    ['it is no error', ['--min-level', 'error', '--enforcement', 'Warn']],
  ])('is none where %s', async (_name, args) => {
    expect(await fix(WRONG, ...args)).toEqual({ code: 0, stdout: WRONG, stderr: '' });
  });

  it.each([
    [['--only', 'named-port']],
    [['--skip', 'exec-command']],
    [['--min-level', 'error']],
    [['--enforcement', 'Warn']],
  ])('is that of the findings that check shows with %j', async (args) => {
    expect((await fix(WRONG, ...args)).stdout).toBe(RIGHT);
  });

  it('is none for a finding that a comment ignores, unless --no-ignore is given', async () => {
    expect((await fix(IGNORED + WRONG)).stdout).toBe(IGNORED + WRONG);
    expect((await fix(IGNORED + WRONG, '--no-ignore')).stdout).toBe(IGNORED + RIGHT);
  });

  it('is none for a finding of a baseline', async () => {
    const [file, baseline] = [join(directory, 'web.yaml'), join(directory, 'baseline.json')];
    await writeFile(file, WRONG);
    const written = await runProbewright(['check', file, '--write-baseline', baseline], { directory });
    expect(written.stderr).not.toContain('cannot');
    await readFile(baseline, 'utf8');
    expect((await fix(WRONG, '--baseline', baseline)).stdout).toBe(WRONG);
  });

  it('is none at all if the baseline cannot be read: nothing is printed', async () => {
    const { code, stdout, stderr } = await fix(WRONG, '--baseline', join(directory, 'missing.json'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('DIR/missing.json');
  });
});

describe('the exit code of fix', () => {
  const COMMAND = pod('http').replace(
    /readinessProbe: .*/,
    "readinessProbe: { exec: { command: [''] }, timeoutSeconds: 5 }",
  );

  it.each([
    ['something would change', WRONG, ['--diff'], 1],
    ['nothing would change', RIGHT, ['--diff'], 0],
    ['something changed', WRONG, [], 0],
    ['an error is left', COMMAND, [], 1],
    ['a warning is left', COMMAND, ['--enforcement', 'Warn'], 0],
  ])('when %s', async (_name, text, args, code) => {
    expect((await fix(text, ...args)).code).toBe(code);
  });

  it('comes with the number of findings that are left', async () => {
    expect((await fix(COMMAND)).stderr).toMatch(/^1 finding needs a hand:\n<stdin>:8:\d+: error: /);
    expect((await fix(`${COMMAND}---\n${COMMAND}`)).stderr).toMatch(/^2 findings need a hand:\n/);
  });
});

describe('a run without a policy', () => {
  it('says so, unless advice is applied', async () => {
    const { code, stdout, stderr } = await runProbewright(['fix', '-'], { stdin: WRONG });
    expect([code, stdout]).toEqual([0, WRONG]);
    expect(stderr).toBe(
      'probewright fix: there is no policy, so no probe is added; name policies with --policies FILE|DIR, ' +
        'or apply the advice of checks with --advice\n',
    );
  });
});
