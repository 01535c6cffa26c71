import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_DEPTH } from '../../../src/yaml/reading/tokens.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, 'policies'));
  await writePolicy('{ kubernetesProbeEndpoints: { readinessProbe: /r } }');
});

async function writePolicy(spec: string): Promise<void> {
  const head = 'apiVersion: probewright.dev/v1alpha1\nkind: ProbePolicy\nmetadata: { name: all, namespace: apps }\n';
  await writeFile(join(directory, 'policies', 'all.yaml'), `${head}spec: ${spec}\n`);
}

const probewright = (args: string[], stdin = ''): Promise<Ran> => runProbewright(args, { stdin, directory });

const fix = (stdin: string, ...args: string[]): Promise<Ran> =>
  probewright(['fix', '-', '--policies', join(directory, 'policies'), ...args], stdin);

function workload(
  kind: string,
  apiVersion: string,
  containers = '[{ name: app, image: x, ports: [{ containerPort: 80 }] }]',
): string {
  const template = `{ metadata: { labels: { app: a } }, spec: { containers: ${containers} } }`;
  const head = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: a, namespace: apps }\n`;
  if (kind === 'PodTemplate') return `${head}template: ${template}\n`;
  const spec =
    kind === 'CronJob' ? `{ jobTemplate: { spec: { template: ${template} } } }` : `{ template: ${template} }`;
  return `${head}spec: ${spec}\n`;
}

describe('probewright fix', () => {
  it('writes the probes into the text and keeps everything else, comments and order included', async () => {
    const { code, stdout, stderr } = await probewright([
      'fix',
      'examples/manifests/static.yaml',
      '--policies',
      'examples/policies',
    ]);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot('../../golden/fix/static.yaml');
    const input = (await readFile('examples/manifests/static.yaml', 'utf8')).split('\n');
    let at = 0;
    for (const line of stdout.split('\n')) if (line === input[at]) at += 1;
    expect(at).toBe(input.length);
    expect(stderr).toBe(
      'examples/manifests/static.yaml:2:1: Deployment apps/static: container "nginx", startupProbe: ClusterProbePolicy/nginx removes it (removed-by-policy)\n',
    );
  });

  it('gives a file back as it is when nothing can be written into it, names it and its document, and goes on with the others', async () => {
    // As deep as can be read: with a probe in it, it could not be read any more.
    const pod = `{apiVersion: v1, kind: Pod, metadata: {namespace: apps, labels: {a: b}}, spec: {containers: [{name: app}]}}`;
    const levels = Math.floor(MAX_DEPTH / 2) - 3;
    const deep = `${'{kind: List, items: ['.repeat(levels)}${pod}${']}'.repeat(levels)}\n`;
    const bad = `${workload('Deployment', 'apps/v1')}---\n${deep}`;
    await writePolicy('{ containers: ["*"], probes: { readinessProbe: { exec: { command: ["ask"] } } } }');
    await writeFile(join(directory, 'bad.yaml'), bad);
    await writeFile(join(directory, 'good.yaml'), workload('Deployment', 'apps/v1'));
    const files = ['bad.yaml', 'good.yaml'].map((file) => join(directory, file));
    const { code, stdout, stderr } = await probewright(['fix', ...files, '--policies', join(directory, 'policies')]);
    expect(code).toBe(2);
    expect(stdout.startsWith(bad)).toBe(true);
    expect(stdout.match(/readinessProbe/g)).toHaveLength(1);
    expect(stderr).toMatch(/^DIR\/bad\.yaml:1:1: no probes are written into this file: document 2: /m);
  });

  it('refuses what is not UTF-8, with the file and the line, and goes on with the others', async () => {
    const text = workload('Deployment', 'apps/v1');
    await mkdir(join(directory, 'in'));
    await writeFile(join(directory, 'in/latin.yaml'), Buffer.from(`# f\u00fcr alle\n${text}`, 'latin1'));
    await writeFile(join(directory, 'in/long.yaml'), Buffer.from(`\uFEFF${text}`, 'utf16le'));
    await writeFile(join(directory, 'in/marked.yaml'), `\uFEFF${text}`);
    const { code, stdout, stderr } = await probewright([
      'fix',
      join(directory, 'in'),
      '--policies',
      join(directory, 'policies'),
    ]);
    expect(code).toBe(2);
    expect(stderr.match(/.*cannot be read.*/g)).toEqual([
      'DIR/in/latin.yaml:1:1: cannot be read: it is not UTF-8: byte 0xfc in line 1',
      'DIR/in/long.yaml:1:1: cannot be read: it is UTF-16, and must be UTF-8',
    ]);
    expect(stdout.startsWith(`# Source: DIR/in/marked.yaml\n${text.slice(0, 20)}`)).toBe(true);
    expect(stdout).not.toContain('alle');
  });

  it('refuses policies that are not UTF-8', async () => {
    await writeFile(join(directory, 'policies', 'b.yaml'), Buffer.from('# \u00fc', 'latin1'));
    const { code, stdout, stderr } = await fix(workload('Deployment', 'apps/v1'));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe('DIR/policies/b.yaml:1:1: cannot be read: it is not UTF-8: byte 0xfc in line 1\n');
  });
});
