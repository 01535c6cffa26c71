import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProbewright } from '../cli/run-probewright.ts';
import { withTools } from '../cli/tools-on-path.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writeFiles } from '../support/write-files.ts';

/** The repository of a stranger, whose files a job judges beside its secrets. */
const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
const tool = (name: string): string | undefined => {
  const found = folders.map((folder) => join(folder, name)).find((path) => path !== name && existsSync(path));
  if (found === undefined) console.log(`${name} is neither in KUBEBUILDER_ASSETS nor on the PATH: tests are skipped`);
  return found;
};
const [helm, kubectl] = ['helm', 'kubectl'].map(tool);

const SECRET = 'ghs-5ecret-Of-The-Job';

/** The secret as an attacker would write it, to pass a filter of logs. */
function forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // A base64 text differs by where the secret begins in groups of three bytes. The first and last signs mix with others.
  const base64 = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(4, -4)
      .replace(/=+$/, ''),
  );
  const url = [...bytes].map((byte) => `%${byte.toString(16)}`).join('');
  const reversed = Array.from(secret).toReversed().join('');
  return [secret, ...base64, bytes.toString('hex'), url, reversed].map((form) => form.toLowerCase());
}

const OUTPUTS: readonly (readonly string[])[] = [
  ...['text', 'json', 'sarif', 'junit', 'github', 'gitlab', 'markdown'].map((format) => ['check', '--output', format]),
  ['check', '--verbose', '--min-level', 'note'],
  ...[
    ['fix', '--diff'],
    ['fix', '--output', 'json'],
    ['fix', '--advice', '--diff'],
  ],
  ...[['explain'], ['explain', '--output', 'json']],
  ...[['report'], ['snapshot']],
  ...['text', 'json', 'markdown'].map((format) => ['plan', '--policies', 'policies', '--output', format]),
];

const DEPLOYMENT = (path: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop, annotations: { a: ${path} } }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: web
          ports: [{ name: http, containerPort: 8080 }]
          livenessProbe: { httpGet: { path: ${path}, port: htpp } }
`;
const CHART = 'apiVersion: v2\nname: web\nversion: 0.1.0\n';
const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: p }
spec: { kubernetesProbeEndpoints: { readinessProbe: /ready } }
`;

let directory = '';
let restore: () => void = () => undefined;
const home = process.cwd();
const at = (...names: string[]): string => join(directory, ...names);
const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(directory, files);
async function link(name: string, target: string): Promise<void> {
  await mkdir(dirname(at('repo', name)), { recursive: true });
  await symlink(target, at('repo', name));
}

beforeEach(async () => {
  directory = await temporaryDirectory();
  await promisify(execFile)('git', ['init', '-q', at('repo')]);
  await write({
    'repo/.git/config': `[http]\n\textraheader = ${SECRET}\n`,
    'repo/policies/p.yaml': POLICY,
    'repo/own.yaml': DEPLOYMENT('/own'),
    'outside/secret.txt': SECRET,
    'outside/secret.yaml': DEPLOYMENT(`/${SECRET}`),
    'outside/values.yaml': `secret: ${SECRET}\n`,
    'outside/schema.json': JSON.stringify({ type: 'object', required: [SECRET] }),
    'outside/base/kustomization.yaml': 'resources: [secret.yaml]\n',
    'outside/base/secret.yaml': DEPLOYMENT(`/${SECRET}`),
    'outside/chart/Chart.yaml': CHART.replace('web', SECRET),
    'outside/chart/templates/a.yaml': DEPLOYMENT(`/${SECRET}`),
  });
  process.env['JOB_TOKEN'] = SECRET;
  process.env['HELM_JOB_TOKEN'] = SECRET;
  const tools = await temporaryDirectory();
  await mkdir(join(tools, 'bin'));
  for (const [name, path] of [['helm', helm] as const, ['kubectl', kubectl] as const])
    if (path !== undefined) await symlink(path, join(tools, 'bin', name));
  restore = await withTools(tools, {});
  process.chdir(at('repo'));
});
afterEach(() => {
  process.chdir(home);
  restore();
  delete process.env['JOB_TOKEN'];
  delete process.env['HELM_JOB_TOKEN'];
});

/** The outputs of all commands for the repository. */
async function outputs(...names: readonly string[]): Promise<string> {
  let all = '';
  for (const [command = '', ...flags] of OUTPUTS) {
    const { stdout, stderr } = await runProbewright([command, ...(names.length > 0 ? names : ['.']), ...flags]);
    all += stdout + stderr;
  }
  return all;
}

async function expectNoLeak(...names: readonly string[]): Promise<string> {
  const all = await outputs(...names);
  for (const form of forms(SECRET)) expect(all.toLowerCase()).not.toContain(form);
  return all;
}

it('the search finds the secret in each form, so that no test passes by looking for nothing', () => {
  for (const before of ['', 'a', 'ab', 'abc'])
    for (const text of [
      `${before}${SECRET}x`,
      Buffer.from(`${before}${SECRET}xyz`).toString('base64'),
      Buffer.from(`${before}${SECRET}`).toString('hex'),
    ])
      expect(forms(SECRET).some((form) => text.toLowerCase().includes(form))).toBe(true);
});

describe('files of a stranger that are links', () => {
  it.each([
    ['a file', 'leak.yaml', '../outside/secret.yaml'],
    ['an absolute file', 'leak.yaml', 'OUT/secret.yaml'],
    ['a directory', 'leak', '../outside'],
    ['the environment', 'leak.yaml', '/proc/self/environ'],
    ['a kustomization', 'k/Kustomization', '../../outside/secret.yaml'],
    ['a kustomization by extension', 'k/kustomization.yaml', '../../outside/secret.yaml'],
    ['a Chart.yaml', 'c/Chart.yaml', '../../outside/chart/Chart.yaml'],
    ['a chart', 'c', '../outside/chart'],
    ["Git's own file", 'leak.yaml', '.git/config'],
    ['the project file', '.probewright.yaml', '../outside/values.yaml'],
    ['the project file as the environment', '.probewright.yaml', '/proc/self/environ'],
    ['policies', 'policies/leak.yaml', '../../outside/values.yaml'],
  ])('leak nothing: %s', async (_, name, target) => {
    await link(name, target.replace('OUT', at('outside')));
    expect(await expectNoLeak()).toContain('leads out of');
  });

  it('leak nothing through a chain of links', async () => {
    await link('a/one', '../b/two');
    await link('b/two', '../c/three.yaml');
    await link('c/three.yaml', '../../outside/secret.yaml');
    await link('leak.yaml', 'a/one');
    expect(await expectNoLeak()).toContain('leak.yaml:1:1: is a symbolic link that leads out of .');
  });

  it('leak nothing when the job names a path that the stranger makes a link', async () => {
    await link('leak.yaml', '../outside/secret.yaml');
    await link('leak', '../outside');
    await link('pol', '../outside');
    for (const name of ['leak.yaml', 'leak', 'leak/secret.yaml', 'leak/chart'])
      expect(await expectNoLeak(name)).toContain('leads out of the git work tree');
    const { code, stderr } = await runProbewright(['check', '.', '--policies', 'pol']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('pol leads out of the git work tree')]);
  });

  it('are followed within the tree, also out of the directory that is named', async () => {
    await write({ 'repo/base/bad.yaml': DEPLOYMENT('/in-the-tree') });
    await link('apps/bad.yaml', '../base/bad.yaml');
    const { code, stdout } = await runProbewright(['check', 'apps']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('apps/bad.yaml')]);
  });
});

const TEMPLATE = (expression: string): string => DEPLOYMENT(`{{ printf "/%s" (${expression}) | quote }}`);

describe.skipIf(helm === undefined)('a chart of a stranger', () => {
  it.each([
    ['a file', 'web/leak.txt', '../../outside/secret.txt'],
    ['the environment', 'web/leak.txt', '/proc/self/environ'],
    ['the environment of the parent', 'web/leak.txt', `/proc/${process.pid}/environ`],
    ['a template', 'web/templates/leak.yaml', '../../../outside/secret.yaml'],
    ['templates', 'web/templates/leak', '../../../outside/base'],
    ['values', 'web/values.yaml', '../../outside/values.yaml'],
    ['a subchart', 'web/charts/sub', '../../../outside/chart'],
    ['a chain', 'web/leak.txt', '../chain'],
    ["Git's own files", 'web/leak.txt', '../.git/config'],
    ["the directory with Git's own files", 'web/leak.txt', '..'],
  ])('is not rendered with a link out of the tree: %s', async (_, name, target) => {
    await link('chain', '../outside/secret.txt');
    await write({
      'repo/web/Chart.yaml': CHART,
      'repo/web/templates/a.yaml': TEMPLATE(
        '.Files.Get "leak.txt" | default (.Files.Get "leak.txt/.git/config") | b64enc',
      ),
      'repo/web/templates/b.yaml': TEMPLATE('.Values.secret | default "none"'),
    });
    await link(name, target);
    const all = await expectNoLeak();
    expect(all).toContain(`web/Chart.yaml:1:1: cannot be rendered: ${name} is a symbolic link that leads out of .`);
    expect((await runProbewright(['check', '.'])).code).toBe(1);
    // A directory without Git is its own tree.
    await expectNoLeak(at('repo/web'));
  });

  it('reads a link within the tree', async () => {
    await write({
      'repo/shared/path.txt': '/shared',
      'repo/web/Chart.yaml': CHART,
      'repo/web/templates/a.yaml': TEMPLATE('.Files.Get "path.txt"'),
    });
    await link('web/path.txt', '../shared/path.txt');
    const { stdout } = await runProbewright(['explain', 'web', '--output', 'json']);
    expect(stdout).toContain('/shared');
  });

  it("has no access to Git's own files, also as the whole repository", async () => {
    await write({
      'repo/Chart.yaml': CHART,
      'repo/templates/a.yaml': TEMPLATE('.Files.Get ".git/config" | b64enc'),
      'repo/templates/b.yaml': DEPLOYMENT('/of-the-root'),
    });
    expect(await expectNoLeak()).toContain('/of-the-root');
    await link('files/loop', '..');
    await expectNoLeak();
  });

  it.each([
    '{{ env "JOB_TOKEN" }}',
    '{{ expandenv "$JOB_TOKEN" }}',
    '{{ getHostByName "localhost" }}',
    '{{ lookup "v1" "Secret" "" "" }}',
  ])('has no environment, names and cluster: %s', async (expression) => {
    await write({ 'repo/web/Chart.yaml': CHART, 'repo/web/templates/a.yaml': `a: ${expression}\n${DEPLOYMENT('/x')}` });
    await expectNoLeak();
  });

  it('has no values of the project file out of the tree', async () => {
    await write({ 'repo/web/Chart.yaml': CHART, 'repo/web/templates/a.yaml': TEMPLATE('.Values.secret') });
    await link('inside.yaml', '../outside/values.yaml');
    for (const values of [
      '../outside/values.yaml',
      at('outside/values.yaml'),
      'inside.yaml',
      '/proc/self/environ',
      '.git/config',
    ]) {
      await write({ 'repo/.probewright.yaml': `charts: [{ path: web, values: ["${values}"] }]\n` });
      expect(await expectNoLeak()).toContain(
        `charts[0].values[0]: "${values}" cannot be read: it leads out of ${at('repo')}`,
      );
    }
    for (const values of ['~/values.yaml', 'https://example.test/values.yaml', '-']) {
      await write({ 'repo/.probewright.yaml': `charts: [{ path: web, values: ["${values}"] }]\n` });
      expect(await expectNoLeak()).toContain('cannot be read: ENOENT');
    }
  });

  it('has no schema that names a file or an address', async () => {
    await write({
      'repo/web/Chart.yaml': CHART,
      'repo/web/templates/a.yaml': DEPLOYMENT('/x'),
      'repo/web/values.yaml': 'a: 1\n',
      'repo/web/values.schema.json': JSON.stringify({ $ref: `file://${at('outside/schema.json')}` }),
    });
    expect(await expectNoLeak()).toContain('web/templates/a.yaml');
  });

  it('downloads no dependency, runs no plugin, and reads none of another directory', async () => {
    const lock = 'dependencies: [{ name: a, repository: "https://example.test", version: 1.0.0 }]\ndigest: x\n';
    for (const repository of ['https://example.test', `file://${at('outside/chart')}`, 'file://../../outside/chart']) {
      const dependency = `dependencies: [{ name: a, version: 1.0.0, repository: "${repository}" }]\n`;
      await write({
        'repo/web/Chart.yaml': CHART + dependency,
        'repo/web/Chart.lock': lock,
        'repo/web/templates/a.yaml': DEPLOYMENT('/x'),
        'repo/web/plugin.yaml': 'name: p\ncommand: env\nhooks: { install: env }\n',
      });
      expect(await expectNoLeak()).toContain('because it lacks a');
    }
  });
});

describe.skipIf(helm === undefined)('a dependency in the tree of a stranger', () => {
  const web = (repository: string): string =>
    `${CHART}dependencies: [{ name: lib, version: "*", repository: "${repository}" }]\n`;
  const LIB = CHART.replace('web', 'lib');
  const files = async (): Promise<readonly string[]> => (await readdir(at('repo'), { recursive: true })).toSorted();

  it.each([
    ['a file', 'lib/leak.txt', '../../outside/secret.txt'],
    ['the environment', 'lib/templates/leak.yaml', '/proc/self/environ'],
    ['a chart', 'lib/charts/x', '../../../outside/chart'],
    ["Git's own files", 'lib/leak.txt', '../.git/config'],
  ])('is not rendered with a link out of the tree: %s', async (_, name, target) => {
    await write({
      'repo/web/Chart.yaml': web('file://../lib'),
      'repo/lib/Chart.yaml': LIB,
      'repo/lib/templates/a.yaml': TEMPLATE('.Files.Get "leak.txt" | b64enc'),
    });
    await link(name, target);
    expect(await expectNoLeak()).toContain('web/Chart.yaml:1:1: cannot be rendered');
  });

  it.each(['file://../lib', 'file://../../outside/chart', 'file:///proc/self', 'file://..', 'file://.git'])(
    'is no link and no path out of the tree: %s',
    async (repository) => {
      await write({ 'repo/web/Chart.yaml': web(repository), 'repo/web/templates/a.yaml': DEPLOYMENT('/x') });
      await link('lib', '../outside/chart');
      expect(await expectNoLeak('web')).toContain('because it lacks lib');
    },
  );

  it('is no link out of the tree when a chart is looked for by its name', async () => {
    await write({ 'repo/web/Chart.yaml': web('https://example.test').replace('lib', SECRET) });
    await link('lib', '../outside/chart');
    const { stderr } = await runProbewright(['check', 'web']);
    expect(stderr).toContain(`because it lacks ${SECRET}`);
  });

  it('is read beside its chart, and nothing is written into the tree', async () => {
    await write({
      'repo/web/Chart.yaml': web('file://../lib'),
      'repo/lib/Chart.yaml': LIB,
      'repo/lib/templates/a.yaml': TEMPLATE('env "JOB_TOKEN"') + TEMPLATE('lookup "v1" "Secret" "" ""'),
      'repo/lib/plugin.yaml': 'name: p\ncommand: env\nhooks: { install: env }\n',
      'repo/lib/.helmignore': 'nothing\n',
    });
    const before = await files();
    await expectNoLeak();
    expect(await files()).toEqual(before);
  });

  it('of a dependency of itself is told, and helm does not follow it for ever', async () => {
    await write({
      'repo/web/Chart.yaml': web('file://../lib'),
      'repo/lib/Chart.yaml': LIB + web('file://../web').slice(CHART.length).replace('lib', 'web'),
    });
    expect((await runProbewright(['check', 'web'])).stderr).toContain('depend on each other');
  });
});

describe.skipIf(kubectl === undefined)('a kustomization of a stranger', () => {
  it.each(['../outside/secret.yaml', '../../outside/secret.yaml', '/proc/self/environ', '.git/config'])(
    'names no file out of its tree as the origin of an object: %s',
    async (origin) => {
      const forged = DEPLOYMENT('/x').replace('a: /x', `config.kubernetes.io/origin: "path: ${origin}\\n"`);
      await write({ 'repo/k/kustomization.yaml': 'resources: [own.yaml]\n', 'repo/k/own.yaml': forged });
      const all = await expectNoLeak('k');
      expect(all).toContain('k/own.yaml:');
      expect(all).not.toContain('secret.yaml:');
    },
  );

  it.each([
    ['a base', 'resources: [../../outside/base]', 'leads out of'],
    ['an old base', 'bases: [../../outside/base]', 'leads out of'],
    ['a component', 'components: [../../outside/base]', 'leads out of'],
    ['a base behind a link', 'resources: [linked]', 'leads out of'],
    ['a file', 'resources: [../../outside/secret.yaml]', 'leads out of'],
    ['a generator of plugins', 'generators: [../../outside/base]', 'leads out of'],
    ['a transformer', 'transformers: [../../outside/secret.yaml]', 'leads out of'],
    [
      'a generated file',
      'configMapGenerator: [{ name: a, files: [a=../../outside/secret.txt] }]',
      'cannot be rendered',
    ],
    ['a linked file', 'configMapGenerator: [{ name: a, files: [leak.txt] }]', 'cannot be rendered'],
    ['the environment as a file', 'secretGenerator: [{ name: a, files: [/proc/self/environ] }]', 'cannot be rendered'],
    ['a patch', 'patches: [{ path: ../../outside/secret.yaml }]', 'cannot be rendered'],
    ['a CRD', 'crds: [../../outside/secret.yaml]', 'cannot be rendered'],
    ['a schema', 'openapi: { path: ../../outside/schema.json }', 'cannot be rendered'],
    ['a configuration', 'configurations: [../../outside/values.yaml]', 'cannot be rendered'],
    ['a chart', 'helmCharts: [{ name: web, repo: "https://example.test" }]', 'cannot be rendered'],
    ['a variable of the environment', 'configMapGenerator: [{ name: a, envs: [env] }]', ''],
  ])('reads nothing out of its tree: %s', async (_, text, message) => {
    await write({ 'repo/k/kustomization.yaml': `${text}\n`, 'repo/k/env': 'JOB_TOKEN\nHELM_JOB_TOKEN\n' });
    await link('k/linked', '../../outside/base');
    await link('k/leak.txt', '../../outside/secret.txt');
    expect(await expectNoLeak('k')).toContain(message);
  });

  it('runs no function', async () => {
    const script = '#!/bin/sh\necho "$JOB_TOKEN" >"$0.ran"\ncat\n';
    await write({
      'repo/k/kustomization.yaml': 'generators: [f.yaml]\n',
      'repo/k/f.yaml':
        'apiVersion: v1\nkind: F\nmetadata: { name: f, annotations: { config.kubernetes.io/function: "exec: { path: ./run.sh }" } }\n',
      'repo/k/run.sh': script,
    });
    await promisify(execFile)('/bin/chmod', ['755', at('repo/k/run.sh')]);
    await expectNoLeak('k');
    expect(existsSync(at('repo/k/run.sh.ran'))).toBe(false);
  });

  it("has no access to Git's own files, also as the whole repository", async () => {
    const generator = 'configMapGenerator: [{ name: a, files: [config=.git/config] }]\n';
    await write({
      'repo/kustomization.yaml': `resources: [own.yaml]\n${generator}replacements: [{ source: { kind: ConfigMap, fieldPath: data.config }, targets: [{ select: { kind: Deployment }, fieldPaths: [metadata.annotations.a] }] }]\n`,
    });
    expect(await expectNoLeak()).toContain('cannot be rendered');
    await link('config', '.git/config');
    await write({ 'repo/kustomization.yaml': generator.replace('.git/', '') });
    expect(await expectNoLeak()).toContain('cannot be rendered');
    await write({ 'repo/kustomization.yaml': 'resources: [own.yaml]\n' });
    const { code, stdout } = await runProbewright(['check', '.']);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^own\.yaml:\d+:\d+: error/)]);
  });
});
