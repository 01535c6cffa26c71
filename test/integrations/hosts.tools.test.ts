import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { chmod, cp, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VERSION } from '../../src/base/version.ts';
import { packedPackage, type PackedPackage } from '../package/packed-package.ts';
import { actionPin, integrityOf, withActionPin } from '../../scripts/release/action-pin.ts';
import { readAction, runAction, type JobResult } from './composite-action.ts';
import type { AddressInfo } from 'node:net';

/** Runs each integration as its host runs the integration. Without the host, the test is skipped. */
const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** A program of the control plane's directory, or of the PATH. */
function tool(name: string): string | undefined {
  const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, name)).find((path) => path !== name && existsSync(path));
  if (found === undefined)
    console.log(`${name} is neither in KUBEBUILDER_ASSETS nor on the PATH: its tests are skipped`);
  return found;
}
const [helm, kubectl, kpt, kustomize] = ['helm', 'kubectl', 'kpt', 'kustomize'].map(tool);

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: web
          ports: [{ name: http, containerPort: 8080 }]
`;
const PROBES = {
  startupProbe: {
    httpGet: { path: '/livez', port: 'http' },
    timeoutSeconds: 5,
    periodSeconds: 5,
    failureThreshold: 30,
  },
  livenessProbe: {
    httpGet: { path: '/livez', port: 'http' },
    timeoutSeconds: 5,
    periodSeconds: 10,
    failureThreshold: 3,
  },
  readinessProbe: {
    httpGet: { path: '/readyz', port: 'http' },
    timeoutSeconds: 5,
    periodSeconds: 5,
    failureThreshold: 2,
  },
};
const BAD_POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ProbePolicy
metadata: { name: bad, namespace: shop }
spec: { port: 70000 }
`;
const policies = join(root, 'examples/quick-start/policy.yaml');

let packed: PackedPackage;

beforeAll(async () => {
  packed = await packedPackage();
}, 180_000);

afterAll(() => packed.remove());

const folder = (name: string): Promise<string> => mkdtemp(join(packed.directory, `${name}-`));

/** The container of a Deployment in a YAML stream. */
function container(text: string): unknown {
  const documents = parseAllDocuments(text).map((document) => document.toJS() as { kind?: string } | null);
  const deployment = documents.find((document) => document?.kind === 'Deployment') as
    { spec: { template: { spec: { containers: unknown[] } } } } | undefined;
  return deployment?.spec.template.spec.containers[0];
}

describe.skipIf(helm === undefined)('the post-renderer of Helm', () => {
  let chart: string;
  let env: Record<string, string>;
  const template = (...args: readonly string[]): Promise<{ stdout: string }> =>
    run(helm ?? '', ['template', 'web', chart, '-n', 'shop', '--post-renderer', 'probewright', ...args], { env });
  const argument = (word: string): [string, string] => ['--post-renderer-args', word];

  beforeAll(async () => {
    chart = await folder('chart');
    await mkdir(join(chart, 'templates'));
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 0.1.0\n');
    await writeFile(join(chart, 'templates/web.yaml'), DEPLOYMENT.replace('name: web', 'name: {{ .Release.Name }}'));
    const home = await folder('helm');
    env = { ...packed.environment(), HELM_CONFIG_HOME: home, HELM_CACHE_HOME: home, HELM_DATA_HOME: home };
    await run(helm ?? '', ['plugin', 'install', join(packed.folder, 'helm/probewright')], { env });
  });

  it('gives the Deployments of a chart their probes', async () => {
    const { stdout } = await template(...argument(`--policies=${policies}`), ...argument('--namespace=shop'));
    expect(container(stdout)).toMatchObject({ name: 'app', ...PROBES });
    expect(stdout).toContain('# Source: web/templates/web.yaml');
  });

  const failures: [string, readonly string[], string][] = [
    [
      ...(['a namespace', [`--policies=${policies}`]] as const),
      'probewright: Helm does not tell the namespace of the release; add --post-renderer-args --namespace=NAME',
    ],
    [
      ...(['policies', ['--namespace=shop']] as const),
      'probewright: without policies no probe is added; add --post-renderer-args --policies=DIR',
    ],
    ['a directory that is there', ['--namespace=shop', '--policies=/nowhere/_none'], '/nowhere/_none'],
    [
      'a flag that is known',
      ['--namespace=shop', '--advice', '--polices=x'],
      '--polices: unknown flag; did you mean --policies?',
    ],
    [
      'a policy that is right',
      ['--namespace=shop', '--policies=bad.yaml'],
      'bad.yaml:4:9: spec.port: must be at most 65535',
    ],
  ];

  it.each(failures)('fails without %s, and Helm shows the reason', async (_, words, reason) => {
    const cwd = await folder('words');
    await writeFile(join(cwd, 'bad.yaml'), BAD_POLICY);
    const args = words.flatMap(argument);
    const shown = { code: 1, stdout: '', stderr: expect.stringContaining(reason) as string };
    for (const action of [['template'], ['install', '--dry-run=client']]) {
      const line = [...action, 'web', chart, '-n', 'shop', '--post-renderer', 'probewright', ...args];
      await expect(run(helm ?? '', line, { env, cwd })).rejects.toMatchObject(shown);
    }
  });

  it('has the version of the program', async () => {
    const plugin = parse(await readFile(join(root, 'integrations/helm/plugin.yaml'), 'utf8')) as { version: string };
    expect(plugin.version).toBe(VERSION);
  });
});

describe.skipIf(kubectl === undefined)('the plugin of kubectl', () => {
  it('is found on the PATH, and takes the flags', async () => {
    const bin = await folder('bin');
    await symlink(join(packed.folder, 'bin/probewright.js'), join(bin, 'kubectl-probewright'));
    const env = { ...packed.environment(), PATH: `${bin}:${packed.environment()['PATH'] ?? ''}` };
    const { stdout: list } = await run(kubectl ?? '', ['plugin', 'list'], { env });
    expect(list).toContain(join(bin, 'kubectl-probewright'));
    const args = ['probewright', 'check', join(root, 'examples/manifests'), '-n', 'apps', '--output', 'json'];
    const { stdout } = await run(kubectl ?? '', args, { env });
    expect((JSON.parse(stdout) as { summary: { workloads: number } }).summary.workloads).toBe(1);
    // Without a file, it means the cluster.
    const inCluster = await run(kubectl ?? '', ['probewright', 'check', '--context', 'none'], { env }).catch(String);
    expect(inCluster).not.toContain('name at least one file');
    const plain = await run(kubectl ?? '', ['probewright', 'check'], {
      env: { ...env, KUBECONFIG: join(bin, 'missing') },
    }).catch(String);
    expect(plain).not.toContain('name at least one file');
  });
});

/** A folder with a Deployment of the namespace `shop`. */
async function packageOfShop(): Promise<string> {
  const directory = await folder('shop');
  await writeFile(join(directory, 'web.yaml'), DEPLOYMENT.replace('name: web', 'name: web\n  namespace: shop'));
  return directory;
}

describe('the KRM function', () => {
  it('reads a ResourceList and prints one, without arguments', async () => {
    const list = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n`;
    const program = run(process.execPath, [join(packed.folder, 'bin/probewright-krm.js'), 'ignored']);
    program.child.stdin?.end(list);
    expect((await program).stdout).toBe(list);
  });

  it.skipIf(kpt === undefined)('fixes the files of a kpt package', async () => {
    const directory = await packageOfShop();
    const config = join(directory, '../probes.yaml');
    await writeFile(config, JSON.stringify(functionConfig(await readFile(policies, 'utf8'))));
    const program = join(packed.folder, 'bin/probewright-krm.js');
    await run(kpt ?? '', ['fn', 'eval', directory, '--exec', program, '--fn-config', config], {
      env: packed.environment(),
    });
    expect(container(await readFile(join(directory, 'web.yaml'), 'utf8'))).toMatchObject(PROBES);
  });

  it.skipIf(kustomize === undefined)('is a transformer of kustomize', async () => {
    const directory = await packageOfShop();
    await symlink(join(packed.folder, 'bin/probewright-krm.js'), join(directory, 'probewright-krm'));
    const config = functionConfig(await readFile(policies, 'utf8'));
    const annotations = { 'config.kubernetes.io/function': 'exec: { path: ./probewright-krm }' };
    await writeFile(
      join(directory, 'probes.yaml'),
      JSON.stringify({ ...config, metadata: { name: 'probes', annotations } }),
    );
    await writeFile(join(directory, 'kustomization.yaml'), 'resources: [web.yaml]\ntransformers: [probes.yaml]\n');
    const args = ['build', directory, '--enable-alpha-plugins', '--enable-exec'];
    const { stdout } = await run(kustomize ?? '', args, { env: packed.environment() });
    expect(container(stdout)).toMatchObject(PROBES);
  });
});

function functionConfig(policy: string): object {
  return {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ProbewrightFunction',
    metadata: { name: 'probes' },
    spec: { mode: 'fix', policies: [parse(policy) as unknown] },
  };
}

/** A registry on loopback that has one version of the package. */
async function packageRegistry(tarball: string): Promise<AsyncDisposable & { readonly url: string }> {
  const file = await readFile(tarball);
  const server = createServer((request, response) => {
    if (request.url?.endsWith('.tgz') === true) {
      response.end(file);
      return;
    }
    const dist = { tarball: `${url}probewright.tgz`, integrity: integrityOf(file) };
    const version = { name: 'probewright', version: VERSION, dist };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: 'probewright', versions: { [VERSION]: version }, 'dist-tags': {} }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('the example for GitLab', () => {
  /** Runs the script of docs/integrations.md in a merge request with these files. */
  async function runScript(base: Readonly<Record<string, string>>, added: Readonly<Record<string, string>>) {
    const [origin = '', clone = '', bin = ''] = await Promise.all(['origin', 'clone', 'bin'].map(folder));
    const git = (cwd: string, ...args: readonly string[]): Promise<unknown> =>
      run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd });
    await git(origin, 'init', '-q', '-b', 'main');
    await mkdir(join(origin, 'manifests'));
    const files = { 'manifests/web.yaml': DEPLOYMENT, 'policies.yaml': await readFile(policies, 'utf8'), ...base };
    for (const [path, text] of Object.entries(files)) await writeFile(join(origin, path), text);
    await git(origin, 'add', '-A');
    await git(origin, 'commit', '-qm', 'manifests');
    await git(origin, 'clone', '-q', `file://${origin}`, clone);
    for (const [path, text] of Object.entries(added)) await writeFile(join(clone, path), text);
    const page = await readFile(join(root, 'docs/integrations.md'), 'utf8');
    const example = parse(/## GitLab CI\n+```yaml\n(.*?)```/s.exec(page)?.[1] ?? '') as {
      probes: { before_script: readonly string[]; script: readonly string[] };
    };
    // The package of this version, in place of that of the registry.
    const program = join(packed.folder, 'bin/probewright.js');
    await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift 2\nexec '${process.execPath}' '${program}' "$@"\n`, {
      mode: 0o755,
    });
    const lines = [...example.probes.before_script, ...example.probes.script];
    const script = lines.join('\n').replaceAll('--policies policies ', '--policies policies.yaml ');
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' };
    const job = run('bash', ['-eo', 'pipefail', '-c', script], { cwd: clone, env });
    return await job.then(
      () => 0,
      (error: unknown) => (error as { code: number }).code,
    );
  }

  it('judges a merge request with the project file of the target branch', async () => {
    const bad = {
      'manifests/bad.yaml': DEPLOYMENT.replace(
        'image: web',
        'image: web\n          livenessProbe: { httpGet: { port: htpp } }',
      ),
    };
    const project = { '.probewright.yaml': 'exclude: ["bad*"]\n' };
    expect(await runScript({}, {})).toBe(0);
    expect(await runScript({}, { ...bad, ...project })).toBe(1);
    expect(await runScript({ '.probewright.yaml': '{}' }, { ...bad, ...project })).toBe(1);
    expect(await runScript(project, { ...bad, '.probewright.yaml': '' })).toBe(0);
  });
});

describe('the GitHub Action', () => {
  /**
   * Runs the action in a clone whose base branch has no policies, in a pull request that adds one.
   *
   * @param added further files of the pull request, executable
   */
  async function runInPullRequest(
    inputs: Readonly<Record<string, string>>,
    comments = '',
    added: Readonly<Record<string, string>> = {},
    {
      root: action = root,
      registry,
      base = {},
      baseRef = 'main',
    }: {
      readonly root?: string;
      readonly registry?: string;
      readonly base?: Readonly<Record<string, string>>;
      readonly baseRef?: string;
    } = {},
  ): Promise<JobResult & { calls: string }> {
    const [origin, clone, bin, temporary] = await Promise.all(['origin', 'clone', 'bin', 'temporary'].map(folder));
    const git = (cwd: string, ...args: readonly string[]): Promise<unknown> =>
      run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd });
    await git(origin ?? '', 'init', '-q', '-b', 'main');
    await mkdir(join(origin ?? '', 'manifests'));
    await writeFile(
      join(origin ?? '', 'manifests/web.yaml'),
      DEPLOYMENT.replace('name: web', 'name: web\n  namespace: shop'),
    );
    for (const [path, text] of Object.entries(base)) await writeFile(join(origin ?? '', path), text);
    await git(origin ?? '', 'add', '-A');
    await git(origin ?? '', 'commit', '-qm', 'manifests');
    await git(origin ?? '', 'clone', '-q', `file://${origin ?? ''}`, clone ?? '');
    await mkdir(join(clone ?? '', 'policies'));
    await cp(policies, join(clone ?? '', 'policies/policy.yaml'));
    for (const [path, text] of Object.entries(added)) {
      await mkdir(dirname(join(clone ?? '', path)), { recursive: true });
      await writeFile(join(clone ?? '', path), text, { mode: 0o755 });
    }
    const calls = join(temporary ?? '', 'calls');
    // The first call asks for comments. The others write one.
    const gh = `#!/bin/sh\nprintf '%s\\n' "$*" >>'${calls}'\ncase "$*" in *--jq*) printf '%s' '${comments}';; esac\n`;
    await writeFile(join(bin ?? '', 'gh'), gh);
    await chmod(join(bin ?? '', 'gh'), 0o755);
    const env = packed.environment();
    const online = registry === undefined ? {} : { npm_config_offline: 'false', npm_config_registry: registry };
    const result = await runAction({
      root: action,
      directory: clone ?? '',
      temporary: temporary ?? '',
      inputs: { package: `file:${packed.tarball}`, files: 'manifests', policies: 'policies', ...inputs },
      github: { event_name: 'pull_request', token: 'token', event: { number: 7 } },
      env: {
        ...env,
        ...online,
        PATH: `${bin ?? ''}:${env['PATH'] ?? ''}`,
        GITHUB_BASE_REF: baseRef,
        GITHUB_REPOSITORY: 'o/r',
      },
    });
    const plan = await readFile(join(temporary ?? '', 'probewright-plan.md'), 'utf8').catch(() => '');
    const asked = await readFile(calls, 'utf8').catch(() => '');
    return { ...result, calls: asked.replaceAll(temporary ?? '', 'TEMP') + plan };
  }

  it('checks, and uploads the findings', async () => {
    const { code, used, calls } = await runInPullRequest({});
    expect(code).toBe(0);
    expect(calls).toBe('');
    expect(used.map(({ uses }) => uses.replace(/@.*/, ''))).toEqual([
      'actions/setup-node',
      'github/codeql-action/upload-sarif',
    ]);
    const sarif = JSON.parse(await readFile(used[1]?.with['sarif_file'] ?? '', 'utf8')) as { version: string };
    expect(sarif.version).toBe('2.1.0');
  });

  it('fails after the upload if a violation is denied, and annotates the line', async () => {
    const wrong = { files: join(root, 'test/fixtures/incidents') };
    const { code, used, log } = await runInPullRequest({ ...wrong, sarif: 'false' });
    expect([code, used.length]).toEqual([1, 1]);
    expect(log).toMatch(/^::error .*file=/m);
  });

  it('runs the probes in the mode try, and annotates those that fail', async () => {
    // Nothing listens on port 1.
    const { code, used, log } = await runInPullRequest({
      mode: 'try',
      arguments: '--address=127.0.0.1\n--port=8080=1',
    });
    expect([code, used.length]).toEqual([1, 1]);
    expect(log).toMatch(/^::error .*connection refused/m);
    const wrong = await runInPullRequest({ mode: 'tri' });
    expect(wrong).toMatchObject({ code: 2 });
    expect(wrong.log).toContain('the input mode must be check or try, not tri');
  });

  it('passes odd inputs on as they are', async () => {
    const { code, log } = await runInPullRequest({ files: '$(touch hacked)\n', arguments: '--strict\n' });
    expect(code).toBe(2);
    expect(log).toContain('$(touch hacked)');
  });

  it('comments the plan once, and replaces its comment afterwards', async () => {
    const first = await runInPullRequest({ plan: 'true', sarif: 'false' });
    expect([first.code, first.log.includes('::error')]).toEqual([0, false]);
    expect(first.calls).toContain(
      'api --method POST repos/o/r/issues/7/comments --field body=@TEMP/probewright-plan.md --silent',
    );
    expect(first.calls).toContain('Plan: of 1 workload, 1 would get other probes at its next rollout.');
    const second = await runInPullRequest({ plan: 'true', sarif: 'false' }, '99\n');
    expect(second.calls).toContain(
      'api --method PATCH repos/o/r/issues/comments/99 --field body=@TEMP/probewright-plan.md --silent',
    );
  });

  it('runs no code of the pull request', async () => {
    const hack = `#!/bin/sh\necho hacked by $GH_TOKEN\n`;
    const { code, log, calls } = await runInPullRequest({ plan: 'true', sarif: 'false' }, '', {
      'hack.sh': hack,
      'hack.cjs': `console.log('hacked')\n`,
      '.npmrc': 'script-shell=./hack.sh\nnode-options=--require ./hack.cjs\n',
      'node_modules/.bin/probewright': hack,
      'node_modules/probewright/package.json': JSON.stringify({
        name: 'probewright',
        version: VERSION,
        bin: { probewright: '../../hack.sh' },
      }),
    });
    expect([code, log.includes('hacked'), calls.includes('hacked')]).toEqual([0, false, false]);
    expect(calls).toContain('Plan: of 1 workload, 1 would get other probes');
  });

  it('takes no file for a flag', async () => {
    const wrong = DEPLOYMENT.replace(
      '8080 }]',
      '8080 }]\n          readinessProbe: { httpGet: { path: /r, port: htpp } }',
    );
    const { code, log } = await runInPullRequest({ files: '--exclude=wrong.yaml\nwrong.yaml', sarif: 'false' }, '', {
      'wrong.yaml': wrong,
      '--exclude=wrong.yaml': DEPLOYMENT,
    });
    expect(code).toBe(1);
    expect(log).toMatch(/^::error file=wrong\.yaml/m);
  });

  const BAD = DEPLOYMENT.replace('8080 }]', '8080 }]\n          readinessProbe: { httpGet: { path: /r, port: htpp } }');
  const EXCLUDES = 'exclude: ["bad*"]\n';

  it.each([
    ['that excludes what the pull request adds', {}, { '.probewright.yaml': EXCLUDES }],
    [
      'in place of that of the base branch',
      { '.probewright.yaml': 'minLevel: note\n' },
      { '.probewright.yaml': EXCLUDES },
    ],
    ['that cannot be read', {}, { '.probewright.yaml': 'exclude: [' }],
  ])('judges a pull request without its project file %s', async (_, base, added) => {
    const inputs = { files: '.', sarif: 'false', plan: 'true' };
    const { code, log } = await runInPullRequest(inputs, '', { 'bad.yaml': BAD, ...added }, { base });
    expect(code).toBe(1);
    expect(log).toMatch(/^::error file=bad\.yaml/m);
    expect(log).not.toContain('leaves out');
  });

  it('judges a pull request with the project file of the base branch, and tells what the file leaves out', async () => {
    const base = { '.probewright.yaml': EXCLUDES };
    for (const added of [{}, { '.probewright.yaml': '' }]) {
      const { code, log } = await runInPullRequest(
        { files: '.', sarif: 'false' },
        '',
        { 'bad.yaml': BAD, ...added },
        { base },
      );
      expect(code).toBe(0);
      expect(log).toMatch(/^::notice file=.*leaves out 1 path by exclude \[bad\*\]: bad\.yaml$/m);
    }
  });

  it('fails when the base branch cannot be fetched, and obeys arguments about the project file', async () => {
    const pull = (inputs: Readonly<Record<string, string>>): Promise<JobResult> =>
      runInPullRequest({ files: '.', sarif: 'false', ...inputs }, '', {
        'bad.yaml': BAD,
        '.probewright.yaml': EXCLUDES,
      });
    const gone = await runInPullRequest({ files: '.' }, '', {}, { baseRef: 'gone' });
    expect([gone.code, gone.log]).toEqual([2, expect.stringContaining('the base branch gone cannot be fetched')]);
    expect((await pull({ arguments: '--no-project-file' })).code).toBe(1);
    expect((await pull({ arguments: '--project-file=.probewright.yaml' })).code).toBe(0);
  });

  it('that is not released fails, and says what to use', async () => {
    const action = await pinned('unreleased');
    const { code, log } = await runInPullRequest({ package: '' }, '', {}, { root: action });
    expect(code).toBe(2);
    expect(log).toBe(
      `::error title=Probewright::probewright@${VERSION} is not released, so this commit of the action has no package to install. ` +
        'Use the commit of a release, or set the input package.\n',
    );
  });

  it('runs the package of its version when the integrity is the pinned one', async () => {
    const action = await pinned(integrityOf(await readFile(packed.tarball)));
    await using registry = await packageRegistry(packed.tarball);
    const wrong = { package: '', files: join(root, 'test/fixtures/incidents'), sarif: 'false' };
    const { code, log } = await runInPullRequest(wrong, '', {}, { root: action, registry: registry.url });
    expect(log).toMatch(/^::error .*file=/m);
    expect(code).toBe(1);
  });

  it('runs nothing of a package with another integrity', async () => {
    const expected = integrityOf(Buffer.from('another package'));
    const action = await pinned(expected);
    await using registry = await packageRegistry(packed.tarball);
    const { code, log } = await runInPullRequest({ package: '' }, '', {}, { root: action, registry: registry.url });
    expect(code).toBe(2);
    expect(log).toBe(
      `::error title=Probewright::the package probewright@${VERSION} has the integrity ` +
        `${integrityOf(await readFile(packed.tarball))}, and the action pins ${expected}. Nothing of the package was run.\n`,
    );
  });

  /** A copy of the action with another integrity. */
  async function pinned(integrity: string): Promise<string> {
    const directory = await folder('action');
    await cp(join(root, 'integrations/action'), join(directory, 'integrations/action'), { recursive: true });
    const action = await readFile(join(root, 'action.yml'), 'utf8');
    await writeFile(join(directory, 'action.yml'), withActionPin(action, { version: VERSION, integrity }));
    return directory;
  }

  it('takes no input into a script, and names the package of this version', async () => {
    const { runs } = await readAction(root);
    for (const { run: script = '' } of runs.steps) expect(script).not.toContain('${{');
    expect(actionPin(await readFile(join(root, 'action.yml'), 'utf8')).version).toBe(VERSION);
  });
});
