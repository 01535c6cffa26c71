import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProbewright } from '../cli/run-probewright.ts';
import { withTools } from '../cli/tools-on-path.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
const found = (name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((path) => path !== name && existsSync(path));
const helm = found('helm');
if (helm === undefined) console.log('helm is neither in KUBEBUILDER_ASSETS nor on the PATH: its tests are skipped');

describe.skipIf(helm === undefined)('charts with the real helm', () => {
  let directory: string;
  let restore: () => void;
  const run = promisify(execFile);
  beforeEach(async () => {
    directory = await temporaryDirectory();
    const tools = await temporaryDirectory();
    await mkdir(join(tools, 'bin'));
    await symlink(helm ?? '', join(tools, 'bin/helm'));
    restore = await withTools(tools, {});
    await run(helm ?? '', ['create', join(directory, 'web')]);
  });
  afterEach(() => {
    restore();
  });

  it('are rendered with values, findings have their line, and fix names the value', async () => {
    const values = join(directory, 'web/values.yaml');
    await writeFile(values, (await readFile(values, 'utf8')).replaceAll('port: http\n', 'port: htpp\n'));
    const { code, stdout } = await runProbewright(['check', directory], { directory });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DIR\/web\/templates\/deployment\.yaml:\d+:11: error: Deployment default\/web: .*"htpp"/);
    const fixed = await runProbewright(['fix', directory, '--advice', '--diff'], { directory });
    expect(fixed.stdout).toBe('');
    expect(fixed.stderr).toMatch(/write "http" as value readinessProbe\.httpGet\.port in DIR\/web\/values\.yaml:\d+\n/);
    const repaired = ['livenessProbe', 'readinessProbe'].flatMap((probe) => ['--set', `${probe}.httpGet.port=http`]);
    expect((await runProbewright(['check', directory, ...repaired])).code).toBe(0);
  });

  it('that lack a dependency are one warning, and nothing is checked', async () => {
    const chart = join(directory, 'web/Chart.yaml');
    const dependency = '\ndependencies: [{ name: redis, version: 1.0.0, repository: "https://example.test" }]\n';
    await writeFile(chart, (await readFile(chart, 'utf8')) + dependency);
    const { code, stderr } = await runProbewright(['check', directory], { directory });
    const why = 'chart web is not checked, because it lacks redis; type: helm dependency build DIR/web';
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `DIR/web/Chart.yaml:1:1: warning: ${why}\nDIR:1:1: nothing is checked: ${why}; --allow-empty accepts that\n`,
    });
  });

  it('take dependencies from the tree, also those of dependencies, and nothing is written', async () => {
    const file = (name: string) => join(directory, name);
    await mkdir(file('.git'));
    await run(helm ?? '', ['create', file('api')]);
    await run(helm ?? '', ['create', file('lib')]);
    const depends = async (chart: string, name: string, repository: string): Promise<void> => {
      const text = await readFile(file(`${chart}/Chart.yaml`), 'utf8');
      const dependency = `{ name: ${name}, version: ^0.1, repository: "${repository}", alias: ${name}-own }`;
      await writeFile(file(`${chart}/Chart.yaml`), `${text}\ndependencies: [${dependency}]\n`);
    };
    await depends('web', 'api', 'file://../api');
    await depends('api', 'lib', 'oci://example.test/charts');
    const values = await readFile(file('lib/values.yaml'), 'utf8');
    await writeFile(file('lib/values.yaml'), values.replaceAll('port: http\n', 'port: htpp\n'));
    const before = (await readdir(directory, { recursive: true })).toSorted();
    const { code, stdout } = await runProbewright(['check', file('web')], { directory });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^DIR\/lib\/templates\/deployment\.yaml:\d+:11: error: Deployment default\/[a-z-]*lib-own: .*"htpp"/,
    );
    expect(stdout).toContain('change value livenessProbe.httpGet.port in DIR/lib/values.yaml:');
    expect(stdout).toContain('3 workloads in ');
    expect((await readdir(directory, { recursive: true })).toSorted()).toEqual(before);
  });
});

const kubectl = found('kubectl');
if (kubectl === undefined)
  console.log('kubectl is neither in KUBEBUILDER_ASSETS nor on the PATH: its tests are skipped');

describe.skipIf(kubectl === undefined)('a kustomization with the real kubectl', () => {
  const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: web
          ports: [{ name: http, containerPort: 8080 }]
          livenessProbe: { httpGet: { path: /, port: htpp } }
`;
  const PATCH = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec: { template: { spec: { containers: [{ name: app, readinessProbe: { httpGet: { path: /, port: htpp } } }] } } }
`;

  it('has its findings in the base and the patch that write the fields, and fix edits neither', async () => {
    const directory = await temporaryDirectory();
    const files = {
      'base/web.yaml': DEPLOYMENT,
      'base/kustomization.yaml': 'resources: [web.yaml]\n',
      'over/kustomization.yaml':
        'namePrefix: a-\nresources: [../base]\npatches: [{ path: patch.yaml }]\nconfigMapGenerator: [{ name: c, literals: [a=b] }]\n',
      'over/patch.yaml': PATCH,
    };
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(directory, dirname(name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const tools = await temporaryDirectory();
    await mkdir(join(tools, 'bin'));
    await symlink(kubectl ?? '', join(tools, 'bin/kubectl'));
    const restore = await withTools(tools, {});
    const { code, stdout } = await runProbewright(['check', directory], { directory });
    expect(code).toBe(1);
    const places = stdout.split('\n').filter((line) => line.includes(': error: Deployment default/a-web'));
    expect(places.map((line) => line.split(': ')[0])).toEqual(['DIR/base/web.yaml:13:48', 'DIR/over/patch.yaml:4:93']);
    const fixed = await runProbewright(['fix', directory, '--advice', '--write'], { directory });
    expect(fixed.stderr).toContain(
      '4 edits are left to be made by hand: 3 in DIR/base/web.yaml, 1 in DIR/over/patch.yaml',
    );
    for (const [name, text] of Object.entries(files)) expect(await readFile(join(directory, name), 'utf8')).toBe(text);
    const printed = await runProbewright(['fix', directory], { directory });
    restore();
    const plain = await promisify(execFile)(kubectl ?? '', ['kustomize', join(directory, 'over')]);
    expect(printed.stdout.replace(/^# Source: .*\n/gm, '')).toBe(plain.stdout);
  });
});
