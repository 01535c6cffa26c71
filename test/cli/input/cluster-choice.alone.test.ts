import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterChoice } from '../../../src/cli/input/cluster-choice.ts';
import { CHECK } from '../../../src/cli/check/definition.ts';
import { parseCommandLine } from '../../../src/cli/flags/parse-command-line.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { BUILT_INS, discovery, writeKubeconfig } from './discovery.ts';
import { runProbewright } from '../run-probewright.ts';
import { sarifLog } from '../sarif-shape.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
let before: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  before = process.cwd();
  await mkdir(join(directory, 'sts'));
  await mkdir(join(directory, 'apps'));
  await writeFile(join(directory, 'apps', 'web.yaml'), '');
  await writeFile(join(directory, 'web'), '');
  process.chdir(directory);
});
afterEach(() => process.chdir(before));

async function choiceOf(line: string): Promise<unknown> {
  const parsed = parseCommandLine(CHECK, line.split(' ').filter(Boolean), {});
  if (parsed.kind !== 'command') throw new Error(JSON.stringify(parsed));
  const choice = await clusterChoice(parsed);
  if (choice.kind === 'files') return 'files';
  if (choice.kind === 'problem') return choice.problem;
  return choice.names.map(({ type, name }) => `${type}/${name ?? '*'}`).join(' ');
}

describe('the choice between files and a cluster', () =>
  it.each([
    ['apps/web.yaml', 'files'],
    ['missing.yaml', 'files'],
    ['deploy', 'files'],
    ['-', 'files'],
    ['sts/web', 'files'],
    ['apps/web', 'files'],
    ['deploy/web', 'deploy/web'],
    ['deploy db', 'deploy/db'],
    ['--cluster', ''],
    ['-A', ''],
    ['-A deploy,sts', 'deploy/* sts/*'],
    ['--cluster sts/web', 'sts/web'],
    ['--cluster deploy web', 'deploy/web'],
    ['--context prod sts', 'sts/*'],
    ['-n shop', ''],
    ['-n shop deploy', 'deploy/*'],
    ['-n shop deploy,daemonsets', 'deploy/* daemonsets/*'],
    ['-n shop apps/web.yaml', 'files'],
    ['-n shop sts', 'files'],
    ['-n shop missing.yaml', 'files'],
    ['-n shop -', 'files'],
    ['--kubeconfig x widget/web', 'widget/web'],
    ['deploy/web apps/web.yaml', 'files and a cluster cannot be read together: apps/web.yaml; deploy/web'],
    ['--cluster apps/web.yaml', 'files and a cluster cannot be read together: apps/web.yaml; --cluster'],
    ['-A - --context x', 'files and a cluster cannot be read together: -; --context, --all-namespaces'],
    ['-A deploy/web', '--all-namespaces: deploy web needs one namespace; give --namespace instead'],
    [
      '--cluster --no-render-charts --exclude x',
      '--exclude, --no-render-charts: only for files, and the input is a cluster',
    ],
    ['--cluster a/b/c', '"a/b/c" is no name of a workload; write TYPE/NAME, such as deploy/web'],
  ])('%s: %s', async (line, choice) => {
    expect(await choiceOf(line)).toBe(choice);
  }));

describe('reports about a cluster', () => {
  let api: FakeApiServer;
  let kubeconfig: string;
  beforeEach(async () => {
    api = await startFakeApiServer();
    api.intercept(discovery(BUILT_INS));
    const probe = { httpGet: { path: '/', port: 'htpp' } };
    const containers = [{ name: 'app', image: 'x', ports: [{ name: 'http', containerPort: 1 }], livenessProbe: probe }];
    api.put('/apis/apps/v1/namespaces/shop/deployments', {
      metadata: { name: 'web', namespace: 'shop', annotations: { 'probewright.dev/liveness': 'x' } },
      spec: { template: { metadata: { annotations: { 'probewright.dev/startup': 'x' } }, spec: { containers } } },
    });
    kubeconfig = await writeKubeconfig(directory, api, 'shop');
  });
  afterEach(async () => {
    await api.stop();
  });

  const message = 'container "app" declares no port named "htpp"';
  const path = 'spec.template.spec.containers[0].livenessProbe.httpGet.port';

  it('have neither files nor lines in text, and the namespace of the context', async () => {
    const { code, stdout } = await runProbewright(['check', '--kubeconfig', kubeconfig, '--only', 'named-port']);
    expect(code).toBe(1);
    expect(stdout.split('\n')[0]).toBe(
      `Deployment shop/web: error: ${path}: ${message}; did you mean "http"? (named-port)`,
    );
    expect(stdout).not.toContain('1:1');
  });

  it('have neither files nor lines on a terminal', async () => {
    const line = ['check', '--kubeconfig', kubeconfig, '--only', 'named-port', '--color', 'never'];
    const { stdout } = await runProbewright(line, { columns: 100 });
    expect(stdout.split('\n').slice(0, 5)).toEqual([
      'Deployment shop/web',
      '    error    named-port',
      `      ${path}`,
      `      ${message}`,
      '      advice: did you mean "http"?',
    ]);
  });

  it.each([
    ['check', ['check', '-n', 'shop', '--only', 'named-port'], false],
    ['starts', ['starts', '-n', 'shop'], false],
    ['plan', ['plan', '-n', 'shop', '--policies', 'policies'], false],
    ['check, as a plugin of kubectl without a name', ['check', '--only', 'named-port'], true],
    ['report, as a plugin of kubectl', ['report'], true],
  ])('are written without a flag for the cluster: %s', async (_what, line, isKubectlPlugin) => {
    await mkdir(join(directory, 'policies'));
    const { stderr } = await runProbewright(line, { env: { KUBECONFIG: kubeconfig }, isKubectlPlugin });
    expect(stderr).not.toContain('name at least one file');
    expect(api.requests.map(({ path: asked }) => asked)).toContain('/apis/apps/v1/namespaces/shop/deployments');
  });

  it('name the ways to read a cluster, where nothing is named', async () => {
    for (const [command, isKubectlPlugin] of [
      ['check', false],
      ['fix', true],
    ] as const) {
      const { code, stderr } = await runProbewright([command], { isKubectlPlugin });
      expect(code).toBe(2);
      expect(stderr.includes('; or -A, -n NAMESPACE or --cluster for a cluster')).toBe(command === 'check');
    }
    expect(api.requests).toEqual([]);
  });

  it('are valid SARIF without fixes', async () => {
    const { stdout } = await runProbewright(['check', '--kubeconfig', kubeconfig, '--output', 'sarif']);
    expect(sarifLog(stdout).runs).toHaveLength(1);
    expect(stdout).toContain('"uri": "cluster%3Ashop/deployment/web"');
    expect(stdout).not.toContain('"fixes"');
  });

  it('are read with a letter for the namespace, and with a line of progress on a terminal only', async () => {
    let now = 0;
    api.put('/api/v1/namespaces', { metadata: { name: 'bank' } });
    const line = ['check', '--kubeconfig', kubeconfig, '-n', 'bank', '--allow-empty'];
    const quiet = await runProbewright(line);
    expect(quiet).toEqual({ code: 0, stdout: '0 workloads in 0 objects: 0 errors, 0 warnings\n', stderr: '' });
    const { stderr } = await runProbewright(line, { columns: 80, monotonic: () => (now += 600) });
    expect(stderr).toMatch(/reading {2}\d+ of \d+ lists, \d+ s/);
  });

  it.each(['..', 'a/b', 'Shop'])('are refused for a namespace that can be none: %s', async (namespace) => {
    expect(await runProbewright(['check', '--kubeconfig', kubeconfig, '-n', namespace])).toEqual({
      code: 2,
      stdout: '',
      stderr: `probewright check: --namespace: must be the name of a Kubernetes object, not "${namespace}"\n`,
    });
    expect(api.requests).toEqual([]);
  });

  it.each([
    ['check', []],
    ['check', ['deploy/web']],
    ['explain', []],
    ['explain', ['deploy/web']],
    ['plan', ['--remove', 'ClusterProbePolicy/x']],
    ['starts', []],
    ['report', []],
    ['snapshot', []],
  ])('end with 2 and name a namespace that does not exist: %s %j', async (command, args) => {
    api.put('/api/v1/namespaces', { metadata: { name: 'shop' } });
    const run = async (namespace: string): Promise<unknown> =>
      await runProbewright([command, ...args, '--kubeconfig', kubeconfig, '-n', namespace]);
    const said = (step: string): unknown => ({ code: 2, stdout: '', stderr: `probewright ${command}: ${step}\n` });
    expect(await run('shpo')).toEqual(said('namespace "shpo" does not exist in the cluster; did you mean "shop"?'));
    expect(await run('nosuch')).toEqual(
      said('namespace "nosuch" does not exist in the cluster; kubectl get namespaces lists those that do'),
    );
  });

  it('say nothing about a namespace that the user may not read', async () => {
    const known = discovery(BUILT_INS);
    api.intercept((request) => (request.path === '/api/v1/namespaces/nosuch' ? { status: 403 } : known(request)));
    const { stderr } = await runProbewright(['explain', '--kubeconfig', kubeconfig, '-n', 'nosuch']);
    expect(stderr).toBe('');
  });

  it('end with one line when the cluster cannot be reached', async () => {
    await api.pause();
    const { code, stdout, stderr } = await runProbewright(['explain', 'deploy/web', '--kubeconfig', kubeconfig]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^probewright explain: the cluster cannot be read: GET \/apis: .*ECONNREFUSED[^;]*\n$/);
  });

  it('name files where only a namespace is given, because it may be meant for files', async () => {
    const { stderr } = await runProbewright(['check', '-n', 'shop', '--kubeconfig', 'nosuch']);
    expect(stderr).toBe(
      "probewright check: the cluster cannot be read: kubeconfig nosuch cannot be used: nosuch: ENOENT: no such file or directory, stat 'nosuch'; to read files, name them\n",
    );
  });
});
