import { chmod, lstat, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from './run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let directory: string;
let policies: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  policies = join(directory, 'policy.yaml');
  await writeFile(
    policies,
    'apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: all }\nspec: { kubernetesProbeEndpoints: { readinessProbe: /r } }\n',
  );
  await mkdir(join(directory, 'in/deep'), { recursive: true });
});

/** Runs fix with the policy, which has no endpoint for the other two probes. */
async function fix(...args: string[]): Promise<Ran> {
  const ran = await runProbewright(['fix', '--policies', policies, ...args], { directory });
  return { ...ran, stderr: ran.stderr.replace(/^.*\(no-endpoint\)\n/gm, '') };
}
const at = (...names: string[]): string => join(directory, ...names);

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: apps }
spec:
  template:
    spec:
      containers:
        - name: app # the application
          ports: [{ containerPort: 80 }]
`;
const probe = `          readinessProbe:
            httpGet:
              path: /r
              port: 80
`;

describe('fix --diff', () => {
  it('prints a unified diff and ends with 1; without a change it prints nothing and ends with 0', async () => {
    await writeFile(at('in/a.yaml'), deployment);
    await writeFile(at('in/b.yaml'), deployment + probe);
    const expected = [
      '--- DIR/in/a.yaml',
      '+++ DIR/in/a.yaml',
      '@@ -7,3 +7,7 @@',
      '       containers:',
      '         - name: app # the application',
      '           ports: [{ containerPort: 80 }]',
      '+          readinessProbe:',
      '+            httpGet:',
      '+              path: /r',
      '+              port: 80',
      '',
    ].join('\n');
    expect(await fix('--diff', at('in'))).toEqual({ code: 1, stdout: expected, stderr: '' });
    expect(await fix('--diff', at('in/b.yaml'))).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await fix('--diff', at('gone.yaml'))).code).toBe(2);
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(deployment);
  });

  it('has colours on a terminal, where hidden characters are escaped', async () => {
    await writeFile(at('in/a.yaml'), deployment.replace('the application', '\u202e').replaceAll('\n', '\r\n'));
    const args = ['fix', '--policies', policies, '--diff', at('in/a.yaml')];
    const { stdout } = await runProbewright(args, { columns: 80, directory });
    expect(stdout).toContain('\u001b[32m+          readinessProbe:\u001b[0m\n');
    expect(stdout).toContain('- name: app # \\u202e\n');
    expect((await fix('--diff', at('in/a.yaml'))).stdout).toContain('- name: app # \u202e\r\n');
  });
});

describe('fix --write', () => {
  it('changes the files that need a change, keeps mode and line ends, and names the files', async () => {
    await writeFile(at('in/a.yaml'), deployment.replaceAll('\n', '\r\n'));
    await chmod(at('in/a.yaml'), 0o640);
    await writeFile(at('in/deep/b.yaml'), deployment + probe);
    const before = await stat(at('in/deep/b.yaml'));
    expect(await fix('--write', at('in'))).toEqual({ code: 0, stdout: 'DIR/in/a.yaml: 1 probe added\n', stderr: '' });
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe((deployment + probe).replaceAll('\n', '\r\n'));
    expect((await stat(at('in/a.yaml'))).mode & 0o777).toBe(0o640);
    expect((await stat(at('in/deep/b.yaml'))).ino).toBe(before.ino);
    expect(await readdir(at('in'))).toEqual(['a.yaml', 'deep']);
    expect(await fix('--write', at('in'))).toEqual({ code: 0, stdout: '', stderr: 'no file needs a change\n' });
  });

  it('writes through a symbolic link, once for each file', async () => {
    await writeFile(at('in/a.yaml'), deployment);
    await symlink('a.yaml', at('in/link.yaml'));
    expect((await fix('--write', at('in'))).stdout).toBe('DIR/in/a.yaml: 1 probe added\n');
    expect((await lstat(at('in/link.yaml'))).isSymbolicLink()).toBe(true);
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(deployment + probe);
  });

  it('refuses a named link to a file, and says which name to write', async () => {
    await writeFile(at('in/a.yaml'), deployment);
    await symlink('a.yaml', at('in/link.yaml'));
    expect(await fix('--write', at('in/link.yaml'), at('in'))).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'probewright fix: DIR/in/link.yaml is a symbolic link, and --write stays in the tree that is named; name DIR/in/a.yaml to change it\n',
    });
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(deployment);
  });

  it.each(['', '/', '/.'])('refuses a named link to a directory, also with %j at its end', async (end) => {
    await writeFile(at('in/a.yaml'), deployment);
    await symlink(at('in'), at('link'));
    const { code, stderr } = await fix('--write', `${at('link')}${end}`);
    expect([code, stderr]).toEqual([
      2,
      `probewright fix: DIR/link${end} is a symbolic link, and --write stays in the tree that is named; name DIR/in to change it\n`,
    ]);
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(deployment);
  });

  it('refuses a link whose target is missing', async () => {
    await symlink('gone.yaml', at('in/link.yaml'));
    const { code, stderr } = await fix('--write', at('in/link.yaml'));
    expect([code, stderr]).toEqual([
      2,
      'probewright fix: DIR/in/link.yaml is a symbolic link, and --write stays in the tree that is named; its target is missing\n',
    ]);
  });

  it('writes nothing behind links that lead out of the named directory', async () => {
    await mkdir(at('elsewhere'));
    await writeFile(at('elsewhere/a.yaml'), deployment);
    await symlink(at('elsewhere/a.yaml'), at('in/link.yaml'));
    await symlink(at('elsewhere'), at('in/folder'));
    expect((await fix('--write', at('in'))).code).toBe(2);
    expect(await readFile(at('elsewhere/a.yaml'), 'utf8')).toBe(deployment);
  });

  it('follows a named link when it writes elsewhere', async () => {
    await writeFile(at('in/a.yaml'), deployment);
    await symlink('a.yaml', at('in/link.yaml'));
    expect((await fix('--diff', at('in/link.yaml'))).code).toBe(1);
  });

  it('writes the other documents and files when one cannot be read, and ends with 2', async () => {
    await writeFile(at('in/a.yaml'), `${deployment}---\nkind: [\n`);
    await writeFile(at('in/b.yaml'), deployment);
    const { code, stdout } = await fix('--write', at('in'));
    expect({ code, stdout }).toEqual({
      code: 2,
      stdout: 'DIR/in/a.yaml: 1 probe added\nDIR/in/b.yaml: 1 probe added\n',
    });
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(`${deployment}${probe}---\nkind: [\n`);
  });

  it.each(['-', '/dev/stdin', '/dev/fd/63'])('refuses standard input: %s', async (name) => {
    const stderr = `probewright fix: --write: standard input (${name}) has no file to write; name files\n`;
    expect(await fix('--write', name)).toEqual({ code: 2, stdout: '', stderr });
  });
});

describe('fix --output-dir', () => {
  it('writes all files, changed or not, with the folders of the input', async () => {
    await writeFile(at('in/a.yaml'), deployment);
    await writeFile(at('in/deep/b.yaml'), 'name: no manifest\n');
    await writeFile(at('c.yaml'), deployment);
    const { code, stdout, stderr } = await fix('--output-dir', at('out'), at('in'), at('c.yaml'));
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: 'DIR/out/a.yaml: 1 probe added\nDIR/out/deep/b.yaml: unchanged\nDIR/out/c.yaml: 1 probe added\n',
      stderr: 'passed over 1 file: 1 no Kubernetes object; --verbose lists them\n',
    });
    expect(await readFile(at('out/a.yaml'), 'utf8')).toBe(deployment + probe);
    expect(await readFile(at('out/deep/b.yaml'), 'utf8')).toBe('name: no manifest\n');
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(deployment);
  });

  it('never writes outside of the directory, over its input, or two files into one', async () => {
    await writeFile(at('in/deep/b.yaml'), deployment);
    await writeFile(at('in/a.yaml'), deployment);
    await mkdir(at('out'));
    await mkdir(at('elsewhere'));
    await symlink(at('elsewhere'), at('out/deep'));
    await symlink(at('in/a.yaml'), at('out/a.yaml'));
    const { code, stderr } = await fix('--output-dir', at('out'), at('in'));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'DIR/in/a.yaml:1:1: cannot be written: DIR/out/a.yaml is the input itself; use --write to change files in place\n' +
        'DIR/in/deep/b.yaml:1:1: cannot be written: DIR/out/deep is a symbolic link that leads out of DIR/out\n',
    });
    expect(await readdir(at('elsewhere'))).toEqual([]);
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(deployment);
    await mkdir(at('two'));
    await writeFile(at('two/a.yaml'), deployment);
    expect((await fix('--output-dir', at('new'), at('in/a.yaml'), at('two/a.yaml'))).stderr).toBe(
      'DIR/two/a.yaml:1:1: cannot be written: DIR/new/a.yaml is already written from DIR/in/a.yaml\n',
    );
    expect((await fix('--output-dir', at('in'), at('in'))).code).toBe(2);
  });
});

describe('fix', () => {
  it('refuses two outputs with one error', async () => {
    expect(await fix('--diff', '--write', '--output-dir', 'x', '--output', 'json', 'a.yaml')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'probewright fix: --diff, --write, --output-dir, --output json: only one of these flags can be given\n' +
        'Run "probewright fix --help" for the flags.\n',
    });
  });

  it('refuses to write rendered manifests', async () => {
    expect((await fix('--write', '--render-charts', 'a.yaml')).stderr).toBe(
      'probewright fix: --render-charts, --write: rendered manifests have no file; print the manifests, or use --diff\n' +
        'Run "probewright fix --help" for the flags.\n',
    );
  });

  it('says on standard error that there is no policy', async () => {
    await writeFile(at('in/a.yaml'), deployment);
    expect(await runProbewright(['fix', at('in/a.yaml')], { directory })).toEqual({
      code: 0,
      stdout: deployment,
      stderr:
        'probewright fix: there is no policy, so no probe is added; name policies with --policies FILE|DIR, ' +
        'or apply the advice of checks with --advice\n',
    });
  });

  it('names each file of a directory, below the separator of the file', async () => {
    const map = 'kind: ConfigMap\n';
    await writeFile(at('in/a.yaml'), `---\n${map}`);
    await writeFile(at('in/b.yaml'), `%YAML 1.1\n---\n${map}`);
    await writeFile(at('in/c.yaml'), `# c\n\n${map}`);
    await writeFile(at('in/d.yaml'), `\uFEFF---\r\n${map}`);
    expect((await fix(at('in'))).stdout).toBe(
      `---\n# Source: DIR/in/a.yaml\n${map}...\n# Source: DIR/in/b.yaml\n%YAML 1.1\n---\n${map}` +
        `---\n# Source: DIR/in/c.yaml\n# c\n\n${map}---\r\n# Source: DIR/in/d.yaml\n${map}`,
    );
    expect((await fix(at('in/a.yaml'), at('in/c.yaml'))).stdout).not.toContain('Source');
  });
});

describe('fix --advice', () => {
  // The handler is plain HTTP on a port named https: the advice of https-scheme.
  const wrong = `${deployment.replace('{ containerPort: 80 }', '{ name: https, containerPort: 8443 }')}\
          livenessProbe: # kept
            httpGet: { path: /live, port: https }
            failureThreshold: 30
          startupProbe: &start
            httpGet: { path: /start, port: https }
            failureThreshold: 30
`;
  const shared = `${wrong}x-shared: *start\n`;

  it('applies advice, keeps every other byte, and leaves no finding with advice', async () => {
    await writeFile(at('in/a.yaml'), wrong);
    const args = ['fix', '--advice', at('in/a.yaml')];
    const { code, stdout, stderr } = await runProbewright(args, { directory });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(wrong.replaceAll('port: https }', 'port: https, scheme: HTTPS }'));
    await runProbewright([...args, '--write'], { directory });
    expect(await readFile(at('in/a.yaml'), 'utf8')).toBe(stdout);
    expect((await runProbewright([...args, '--diff'], { directory })).code).toBe(0);
  });

  it('says which advice it does not apply, and applies the rest', async () => {
    await writeFile(at('in/a.yaml'), shared);
    const { code, stdout, stderr } = await runProbewright(['fix', '--advice', at('in/a.yaml')], { directory });
    expect(code).toBe(0);
    expect(stdout).toBe(shared.replace('/live, port: https }', '/live, port: https, scheme: HTTPS }'));
    expect(stderr).toMatch(
      /^DIR\/in\/a\.yaml:\d+:\d+: the advice of https-scheme for spec\.template\.spec\.containers\[0\]\.startupProbe\.httpGet\S* is not applied: spec\.template\.spec\.containers\[0\]\.startupProbe belongs to anchor "start", which other places use\n$/,
    );
  });

  it('gives objects with the advice applied to --output json', async () => {
    await writeFile(at('in/a.yaml'), wrong);
    const { stdout } = await runProbewright(['fix', '--advice', '--output', 'json', at('in/a.yaml')], { directory });
    expect(stdout.match(/"scheme": "HTTPS"/g)).toHaveLength(2);
  });

  it('leaves no advice in the fixtures of all checks, and gives files with CRLF the same lines', async () => {
    const fixtures = 'test/fixtures/checks';
    const fixed = await runProbewright(['fix', '--advice', '--min-level', 'note', '--output-dir', at('lf'), fixtures]);
    expect({ code: fixed.code, stderr: fixed.stderr }).toEqual({ code: 0, stderr: '' });
    const names = (await readdir(at('lf'), { recursive: true })).filter((name) => name.endsWith('.yaml'));
    for (const name of names) {
      await mkdir(at('crlf', name, '..'), { recursive: true });
      await writeFile(at('crlf', name), (await readFile(join(fixtures, name), 'utf8')).replaceAll('\n', '\r\n'));
    }
    await runProbewright(['fix', '--advice', '--min-level', 'note', '--write', at('crlf')]);
    for (const name of names) {
      const lines = await readFile(at('lf', name), 'utf8');
      expect(await readFile(at('crlf', name), 'utf8'), name).toBe(lines.replaceAll('\n', '\r\n'));
    }
    const { stdout } = await runProbewright(['check', '--output', 'json', '--min-level', 'note', at('lf')]);
    expect(stdout).not.toContain('"advice"');
    expect(fixed.stdout).toMatch(/advice applied/);
  });

  it('applies the advice of the findings that check shows with the same flags, and no other', async () => {
    const file = at('web.yaml');
    // single-failure warns, and timeout-over-period notes.
    const numbers = { initialDelaySeconds: 20, failureThreshold: 1, timeoutSeconds: 15 };
    const livenessProbe = { httpGet: { path: '/live', port: 'http' }, ...numbers };
    const container = { name: 'app', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }], livenessProbe };
    const metadata = { name: 'web', namespace: 'apps' };
    await writeFile(
      file,
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [container] } }),
    );
    await writeFile(
      at('known.json'),
      JSON.stringify({
        version: 1,
        findings: [
          {
            ...{ check: 'single-failure', kind: 'Pod', namespace: 'apps', name: 'web', container: 'app' },
            probe: 'livenessProbe',
          },
        ],
      }),
    );
    for (const [flags, applied] of [
      [[], ['single-failure']],
      [
        ['--min-level', 'note'],
        ['single-failure', 'timeout-over-period'],
      ],
      [['--min-level', 'error'], []],
      [['--enforcement', 'Audit'], []],
      [['--skip', 'single-failure'], []],
      [['--only', 'timeout-over-period', '--min-level', 'note'], ['timeout-over-period']],
      [['--baseline', at('known.json')], []],
      [['--baseline', at('known.json'), '--min-level', 'note'], ['timeout-over-period']],
    ] satisfies [string[], string[]][]) {
      const shown = await runProbewright(['check', '--output', 'json', ...flags, file]);
      const { violations } = JSON.parse(shown.stdout) as { violations: { check: string; advice?: unknown }[] };
      expect(
        violations.filter(({ advice }) => advice).map(({ check }) => check),
        flags.join(' '),
      ).toEqual(applied);
      const { stdout } = await runProbewright(['fix', '--advice', ...flags, file]);
      const { spec } = JSON.parse(stdout) as { spec: { containers: { livenessProbe: object }[] } };
      expect(spec.containers[0]?.livenessProbe, flags.join(' ')).toEqual({
        ...livenessProbe,
        ...(applied.includes('single-failure') && { failureThreshold: 3 }),
        ...(applied.includes('timeout-over-period') && { periodSeconds: 15 }),
      });
    }
    const unreadable = await runProbewright(['fix', '--advice', '--baseline', at('gone.json'), file]);
    expect([unreadable.code, unreadable.stdout]).toEqual([2, '']);
    expect(unreadable.stderr).toContain('gone.json: cannot be read');
  });
});
