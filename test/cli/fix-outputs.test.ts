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
});

describe('fix --output-dir', () => {
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
  it('refuses to write rendered manifests', async () => {
    expect((await fix('--write', '--render-charts', 'a.yaml')).stderr).toBe(
      'probewright fix: --render-charts, --write: rendered manifests have no file; print the manifests, or use --diff\n' +
        'Run "probewright fix --help" for the flags.\n',
    );
  });
});

describe('fix --advice', () => {
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
});
