import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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
    const why = 'probewright fix: the policies add no readinessProbe to 2 containers: the manifests have one\n';
    const stderr = `no file needs a change\n${why}`;
    expect(await fix('--write', at('in'))).toEqual({ code: 0, stdout: '', stderr });
  });
});

describe('fix --write with several names', () => {
  it('changes each file that is named, and once what is named twice', async () => {
    for (const file of ['in/a.yaml', 'in/deep/b.yaml']) await writeFile(at(file), deployment);
    const { code, stdout } = await fix('--write', at('in/a.yaml'), at('in/deep'), at('in/deep/b.yaml'));
    expect([code, stdout]).toEqual([0, 'DIR/in/a.yaml: 1 probe added\nDIR/in/deep/b.yaml: 1 probe added\n']);
    for (const file of ['in/a.yaml', 'in/deep/b.yaml'])
      expect(await readFile(at(file), 'utf8')).toBe(deployment + probe);
  });

  it('changes nothing outside of what is named, wherever a link leads', async () => {
    await writeFile(at('outside.yaml'), deployment);
    await symlink(at('outside.yaml'), at('in/link.yaml'));
    const { code, stdout, stderr } = await fix('--write', at('in'));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('DIR/in/link.yaml:1:1: is a symbolic link that leads out of DIR/in, and is skipped');
    expect(await readFile(at('outside.yaml'), 'utf8')).toBe(deployment);
  });
});

describe('fix --advice', () =>
  it('leaves no advice in the fixtures of all checks, and gives files with CRLF the same lines', async () => {
    const fixtures = 'test/fixtures/checks';
    const fixed = await runProbewright(['fix', '--advice', '--min-level', 'note', '--output-dir', at('lf'), fixtures]);
    // What is left needs a hand, and no advice was refused.
    expect(fixed.code).toBe(1);
    expect(fixed.stderr).toMatch(/^\d+ findings need a hand:\n/);
    expect(fixed.stderr).not.toContain('is not applied');
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
  }));

describe('fix --advice, where a finding needs a hand', () => {
  const withCommand = (command: string) =>
    `${deployment}          readinessProbe: { exec: { command: [${command}] }, timeoutSeconds: 5 }\n`;

  it('counts and names it, and ends with 1 for an error', async () => {
    await writeFile(at('in/a.yaml'), withCommand("''"));
    const { code, stderr } = await runProbewright(['fix', '--advice', '--write', at('in')], { directory });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'no file is changed\n1 finding needs a hand:\nDIR/in/a.yaml:10:47: error: Deployment apps/web: ' +
        'spec.template.spec.containers[0].readinessProbe.exec.command[0]: the readinessProbe of container "app" runs a ' +
        'program without a name, so every probe errors; write the program, for example command: [cat, /tmp/healthy] ' +
        '(exec-command)\n',
    );
  });

  it('ends with 0 for a warning, and says nothing where nothing is left', async () => {
    await writeFile(at('in/a.yaml'), withCommand("''"));
    const args = ['fix', '--advice', '--write', at('in')];
    const warned = await runProbewright([...args, '--enforcement', 'Warn'], { directory });
    expect(warned.code).toBe(0);
    expect(warned.stderr).toContain('1 finding needs a hand:');
    await writeFile(at('in/a.yaml'), withCommand('/app/ready'));
    expect((await runProbewright(args, { directory })).stderr).toBe('no file needs a change\n');
  });
});
