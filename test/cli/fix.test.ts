import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_DEPTH } from '../../src/yaml/reading/tokens.ts';
import { runProbewright, type Ran } from './run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

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
    await expect(stdout).toMatchFileSnapshot('../golden/fix/static.yaml');
    const input = (await readFile('examples/manifests/static.yaml', 'utf8')).split('\n');
    let at = 0;
    for (const line of stdout.split('\n')) if (line === input[at]) at += 1;
    expect(at).toBe(input.length);
    expect(stderr).toBe(
      'examples/manifests/static.yaml:2:1: Deployment apps/static: container "nginx", startupProbe: ClusterProbePolicy/nginx removes it (removed-by-policy)\n',
    );
  });

  it.each([
    ['Pod', 'v1', true],
    ['Deployment', 'apps/v1', true],
    ['StatefulSet', 'apps/v1', true],
    ['DaemonSet', 'apps/v1', true],
    ['ReplicaSet', 'apps/v1', true],
    ['ReplicationController', 'v1', true],
    ['PodTemplate', 'v1', true],
    ['Job', 'batch/v1', false],
    ['CronJob', 'batch/v1', false],
    ['Deployment', 'example.test/v1', false],
  ])('looks into a %s of %s: %s', async (kind, apiVersion, expected) => {
    const text =
      kind === 'Pod'
        ? workload(kind, apiVersion).replace(/spec: \{ template: .*spec: (.*) \} \}/, 'spec: $1')
        : workload(kind, apiVersion);
    const { code, stdout } = await fix(text);
    expect(code).toBe(0);
    expect(stdout.replace(/[{} ]/g, '').includes('readinessProbe:httpGet:path:/r,port:80')).toBe(expected);
    if (!expected) expect(stdout).toBe(text);
  });

  it('adds no annotation', async () => {
    expect((await fix(workload('Deployment', 'apps/v1'))).stdout).not.toContain('probewright.dev');
  });

  it('tells why a container got nothing, with the place', async () => {
    const { stderr } = await fix(`# a comment\n${workload('Deployment', 'apps/v1', '[{ name: app }]')}`);
    expect(stderr).toBe(
      '<stdin>:2:1: Deployment apps/a: Pod: cannot tell its main container: none of "app" declares a TCP port; ' +
        'name the containers in the policy or in the annotation probewright.dev/containers (no-main-container)\n',
    );
  });

  it('understands Lists and several documents, and takes --namespace for objects without one', async () => {
    const item = workload('Deployment', 'apps/v1')
      .replace(', namespace: apps', '')
      .trimEnd()
      .split('\n')
      .join('\n    ');
    const text = `apiVersion: v1\nkind: List\nitems:\n  - ${item}\n---\nkind: ConfigMap\n---\n# nothing\n`;
    const { stdout } = await fix(text, '--namespace', 'apps');
    expect(stdout.match(/readinessProbe/g)).toHaveLength(1);
    expect((await fix(text)).stdout).toBe(text);
  });

  it('prints one List of all objects with --output json', async () => {
    const { stdout } = await fix(
      `${workload('Deployment', 'apps/v1')}---\napiVersion: v1\nkind: ConfigMap\ndata: { "010": "x", on: y }\n`,
      '--output',
      'json',
    );
    const list = JSON.parse(stdout) as { items: JsonObject[] } & JsonObject;
    expect([list['apiVersion'], list['kind'], list.items.map((item) => item['kind'])]).toEqual([
      'v1',
      'List',
      ['Deployment', 'ConfigMap'],
    ]);
    expect(JSON.stringify(list.items[0])).toContain('"readinessProbe":{"httpGet":{"path":"/r","port":80}}');
  });

  it('reads directories, and separates what comes from several files', async () => {
    await mkdir(join(directory, 'in/deep'), { recursive: true });
    await writeFile(join(directory, 'in/a.yaml'), workload('Deployment', 'apps/v1'));
    await writeFile(join(directory, 'in/deep/b.yml'), workload('StatefulSet', 'apps/v1').trimEnd());
    await writeFile(join(directory, 'in/notes.txt'), 'kind: [');
    const { stdout } = await probewright(['fix', join(directory, 'in'), '--policies', join(directory, 'policies')]);
    expect(stdout.match(/readinessProbe/g)).toHaveLength(2);
    expect(stdout.split('\n---\n')).toHaveLength(2);
    expect(stdout.match(/^# Source: .*$/gm)).toEqual(['# Source: DIR/in/a.yaml', '# Source: DIR/in/deep/b.yml']);
  });

  it('goes on when an input cannot be read, and exits 2', async () => {
    await writeFile(join(directory, 'good.yaml'), workload('Deployment', 'apps/v1'));
    await writeFile(join(directory, 'bad.yaml'), 'kind: Pod\n  x: [\n');
    const { code, stdout, stderr } = await probewright([
      'fix',
      join(directory, 'gone.yaml'),
      join(directory, 'bad.yaml'),
      join(directory, 'good.yaml'),
      '--policies',
      join(directory, 'policies'),
    ]);
    expect(code).toBe(2);
    expect(stdout).toContain('readinessProbe');
    expect(stderr).toMatch(/^DIR\/gone\.yaml:1:1: cannot be read: ENOENT/m);
    expect(stderr).toMatch(/^DIR\/bad\.yaml:\d+:\d+: /m);
  });

  it('gives a file back as it is when nothing can be written into it, names it and its document, and goes on with the others', async () => {
    // As deep as can be read: with a probe in it, it could not be read any more.
    const pod = `{apiVersion: v1, kind: Pod, metadata: {namespace: apps}, spec: {containers: [{name: app}]}}`;
    const levels = Math.floor(MAX_DEPTH / 2) - 3;
    const deep = `${'{kind: List, items: ['.repeat(levels)}${pod}${']}'.repeat(levels)}\n`;
    const bad = `${workload('Deployment', 'apps/v1')}---\n${deep}`;
    await writePolicy('{ containers: ["*"], probes: { readinessProbe: { exec: { command: ["true"] } } } }');
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

  it.each(['Deployment', 'json', 'flow'])(
    'writes commands of any character so that kubectl can read them: %s',
    async (form) => {
      const command = [
        '\ufeff',
        '\u009b31m',
        '\u007f',
        '\ufffe',
        '\u202e',
        'a\u2028b',
        'a\u200b\nb',
        'two\nlines\u202e',
        '\u{e0041}',
        'é漢😀',
      ];
      await writePolicy(JSON.stringify({ containers: ['*'], probes: { livenessProbe: { exec: { command } } } }));
      const block = `kind: Deployment\napiVersion: apps/v1\nmetadata: { name: a, namespace: apps }\nspec:\n  template:\n    spec:\n      containers:\n        - name: app\n`;
      const object = parse(workload('Deployment', 'apps/v1')) as unknown;
      const input = {
        Deployment: block,
        json: JSON.stringify(object, null, 2),
        flow: workload('Deployment', 'apps/v1'),
      };
      const { code, stdout } = await fix(input[form as keyof typeof input]);
      expect(code).toBe(0);
      const written = parse(stdout) as { spec: { template: { spec: { containers: [{ livenessProbe: unknown }] } } } };
      expect(written.spec.template.spec.containers[0].livenessProbe).toMatchObject({ exec: { command } });
      expect(stdout).toMatch(/^[\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u);
      expect(stdout).not.toContain('\u202e');
    },
  );

  it('reports bad usage and bad policies, and exits 2', async () => {
    expect(await probewright(['fix', '--output', 'xml', '--policy', 'x'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'probewright fix: --policy: unknown flag; did you mean --policies?\nprobewright fix: FILE: name at least one file or directory, or - for standard input\nprobewright fix: --output: must be yaml or json, not "xml"; did you mean "yaml"?\n' +
        'Run "probewright fix --help" for the flags.\n',
    });
    await writeFile(join(directory, 'policies', 'bad.yaml'), 'kind: ProbePolicy\n');
    expect((await fix('')).code).toBe(2);
    expect((await fix('')).stderr).toContain('DIR/policies/bad.yaml:1:1: ');
  });

  it.each([['--help'], ['version'], ['serve', '--help'], ['fix', '--help']])('answers %s %s', async (...args) => {
    const { code, stdout } = await probewright(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(Usage: probewright|probewright \d)/);
  });

  it('suggests the command that was meant', async () => {
    expect(await probewright(['fxi'])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'probewright: unknown command "fxi"; did you mean "fix"?\nRun "probewright help" for the commands.\n',
    });
  });
});
