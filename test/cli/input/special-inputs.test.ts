import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { specialFiles, type SpecialFile } from '../../support/special-files.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
let special: SpecialFile[];
let close: () => void;

beforeEach(async () => {
  directory = await temporaryDirectory();
  ({ files: special, close } = await specialFiles(directory));
  await mkdir(join(directory, 'policies'));
  await writeFile(join(directory, 'policies', 'p.yaml'), 'kind: Namespace\nmetadata: { name: apps }\n');
  await mkdir(join(directory, 'in'));
  await writeFile(join(directory, 'in', 'good.yaml'), workload('good'));
});

afterEach(() => close());

const at = (...names: string[]): string => join(directory, ...names);
const probewright = (...args: string[]): Promise<Ran> => runProbewright(args, { directory });
const COMMANDS = ['check', 'fix', 'explain'];

function workload(name: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: apps }
spec: { template: { spec: { containers: [{ name: app, image: x, ports: [{ name: http, containerPort: 80 }] }] } } }
`;
}

describe.each(COMMANDS)('%s', (command) => {
  it('refuses manifests that are no files at once, by path and kind, and goes on with the others', async () => {
    for (const { path, kind } of special.filter(({ path }) => path !== directory)) {
      const { code, stdout, stderr } = await probewright(command, path, at('in'), '--policies', at('policies'));
      const shown = path.replace(directory, 'DIR');
      expect([code, stderr.replace(/^probewright fix: there is no policy.*\n/m, '')]).toEqual([
        2,
        `${shown}:1:1: cannot be read: ${shown} is ${kind} and must be a regular file\n`,
      ]);
      expect(stdout).toMatch(/good|1 workload in/);
    }
    const { code, stderr } = await probewright(command, directory, '--policies', at('policies'));
    expect(code).toBe(2);
    expect(stderr).toContain('DIR/fifo.yaml is a FIFO (named pipe) and must be a regular file\n');
    expect(stderr).toContain('DIR/socket.yaml is a socket and must be a regular file\n');
  });

  it('refuses policies and kinds that are no files at once, descriptors included', async () => {
    for (const path of [...special.map((file) => file.path), '/dev/stdin', '/dev/fd/0']) {
      const { code, stderr } = await probewright(command, at('in'), '--policies', path);
      expect(code).toBe(2);
      expect(stderr).toMatch(/must be a regular file\n|^\/dev\/.*cannot be read/m);
    }
    const { code, stderr } = await probewright(command, at('in'), '--workload-kinds', at('fifo.yaml'));
    expect([code, stderr]).toEqual([
      2,
      `probewright ${command}: the workload kinds cannot be read: Error: DIR/fifo.yaml is a FIFO (named pipe) and must be a regular file\n`,
    ]);
  });

  it('does not follow links out of a directory, and reports each; a link that is named is followed', async () => {
    await mkdir(at('outside'));
    await writeFile(at('outside', 'secret.yaml'), `# secret\n${workload('secret')}`);
    await symlink(at('outside', 'secret.yaml'), at('in', 'a.yaml'));
    await symlink('../outside', at('in', 'sub'));
    await symlink('good.yaml', at('in', 'same.yaml'));
    await symlink('nowhere', at('in', 'z.yaml'));
    const { code, stdout, stderr } = await probewright(command, at('in'), '--policies', at('policies'));
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain('secret');
    expect(stdout).toMatch(/good|2 workloads/);
    expect(stderr).toContain('passed over 1 file: 1 a link that leads nowhere; --verbose lists them');
    const skipped = 'is a symbolic link that leads out of DIR/in, and is skipped; name the file itself to have it read';
    expect(stderr.split('\n').filter((line) => line.includes('symbolic link'))).toEqual([
      `DIR/in/a.yaml:1:1: ${skipped}`,
      `DIR/in/sub:1:1: ${skipped}`,
    ]);
    const named = await probewright(command, at('in', 'a.yaml'), '--policies', at('policies'));
    expect(named.code).toBe(0);
    expect(named.stdout).toMatch(/secret|1 workload in/);
  });

  it('reports a link out of the policy directory, as a policy that is not read could be missed', async () => {
    await symlink('../in/good.yaml', at('policies', 'q.yaml'));
    const { code, stderr } = await probewright(command, at('in'), '--policies', at('policies'));
    expect(code).toBe(2);
    expect(stderr).toContain('DIR/policies/q.yaml:1:1: is a symbolic link that leads out of DIR/policies');
  });

  it('reads the pipe of a process substitution, and standard input by its paths', async () => {
    await writeFile(at('web.yaml'), workload('web'));
    const node = `${process.execPath} src/main.ts ${command}`;
    const policies = `--policies ${at('policies')}`;
    for (const line of [
      `${node} <(sleep 0.2; cat ${at('web.yaml')}) ${policies}`,
      `cat ${at('web.yaml')} | ${node} /dev/stdin ${policies}`,
      `${node} /dev/fd/0 ${policies} < ${at('web.yaml')}`,
    ]) {
      const { stdout } = await promisify(execFile)('bash', ['-c', line]);
      expect(stdout).toMatch(/apps\/web|web \(Deployment in namespace apps\)|name: web|1 workload in 1 object/);
    }
  });
});

describe('explain --output-dir', () => {
  const draw = (): Promise<Ran> => probewright('explain', at('in'), '--output', 'svg', '--output-dir', at('out'));
  const picture = (): string => at('out', 'deployment-apps-good.svg');

  it('replaces a link that stands where a picture goes, and leaves what it leads to', async () => {
    await mkdir(at('out'));
    await writeFile(at('precious'), 'precious');
    await symlink(at('precious'), picture());
    expect((await draw()).code).toBe(0);
    expect(await readFile(at('precious'), 'utf8')).toBe('precious');
    expect((await lstat(picture())).isFile()).toBe(true);
  });

  it('makes no file through a link to nowhere', async () => {
    await mkdir(at('out'));
    await symlink(at('nowhere'), picture());
    expect((await draw()).code).toBe(0);
    expect(await readdir(directory)).not.toContain('nowhere');
  });

  it('overwrites pictures, waits for no FIFO, and leaves nothing else behind', async () => {
    await draw();
    await draw();
    expect(await readdir(at('out'))).toEqual(['deployment-apps-good.svg']);
    await rm(picture());
    await promisify(execFile)('mkfifo', [picture()]);
    expect((await draw()).code).toBe(0);
    expect(await readFile(picture(), 'utf8')).toContain('<svg');
  });

  it('reports a picture that cannot be written, and leaves nothing behind', async () => {
    await mkdir(picture(), { recursive: true });
    const { code, stderr } = await draw();
    expect(code).toBe(2);
    expect(stderr).toContain('DIR/out/deployment-apps-good.svg cannot be written: ');
    expect(await readdir(at('out'))).toEqual(['deployment-apps-good.svg']);
  });
});
