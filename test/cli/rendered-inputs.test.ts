import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runProbewright, type Ran } from './run-probewright.ts';
import { withTools } from './tools-on-path.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

let directory: string;
let restorePath: () => void = () => undefined;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

afterEach(() => restorePath());

const at = (...names: string[]): string => join(directory, ...names);
const probewright = (...args: string[]): Promise<Ran> => runProbewright(args, { directory });

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(at(name)), { recursive: true });
    await writeFile(at(name), text);
  }
}

async function tools(scripts: Readonly<Record<string, string>>): Promise<void> {
  restorePath = await withTools(directory, scripts);
}

/** The findings of `check`: check, file and line of each. */
async function findings(...args: string[]): Promise<readonly (readonly unknown[])[]> {
  const { stdout } = await probewright('check', '--output', 'json', ...args);
  const { violations } = JSON.parse(stdout) as { violations: readonly JsonObject[] };
  return violations.map(({ check, file, line, name }) => [check, file, line, name]);
}

const NEEDS_BOTH = 'spec: { checks: { required-liveness: { action: Off }, required-readiness: { action: Off } } }';
const POLICY = `apiVersion: probewright.dev/v1alpha1\nkind: ClusterProbePolicy\nmetadata: { name: p }\n${NEEDS_BOTH}\n`;

const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: app
          image: example.test/app:1
          ports: [{ name: http, containerPort: 8080 }]
          readinessProbe:
            httpGet: { path: /, port: htpp }
`;

const TEMPLATE = `{{- if .Values.enabled }}
# a comment
${deployment('{{ .Release.Name }}').replace('            httpGet: { path: /, port: htpp }', '            {{- toYaml .Values.probe | nindent 12 }}')}{{- end }}
`;

const CHART = 'apiVersion: v2\nname: web\nversion: 0.1.0\n';

/** As Helm 3 and 4 print the output of templates. */
const RENDERED = `---
# Source: web/charts/cache/templates/cache.yaml
${deployment('cache')}---
# Source: web/templates/web.yaml
${deployment('web')}`;

describe('a chart below a directory', () => {
  beforeEach(async () => {
    await write({
      'charts/web/Chart.yaml': CHART,
      'charts/web/values.yaml': 'probe: { httpGet: { path: /, port: htpp } }\n',
      'charts/web/templates/web.yaml': TEMPLATE,
      'charts/web/charts/cache/Chart.yaml': CHART.replace('web', 'cache'),
      'charts/web/charts/cache/templates/cache.yaml': TEMPLATE,
      'charts/common/Chart.yaml': `${CHART.replace('web', 'common')}type: library\n`,
      'charts/common/templates/_names.yaml': '{{ define "x" }}{{ end }}',
      'plain.yaml': deployment('plain'),
    });
  });

  const line = (command: string): string =>
    `chart web: not rendered; helm template web DIR/charts/web | probewright ${command} - (or add --render-charts)\n`;

  it('is the same line when a template or the values are named', async () => {
    for (const names of [['templates/web.yaml', 'values.yaml', 'templates'], ['Chart.yaml']]) {
      const { stderr } = await probewright('check', ...names.map((name) => at('charts/web', name)), at('plain.yaml'));
      expect(stderr).toBe(line('check'));
    }
  });

  it('is left out by --exclude', async () => {
    for (const glob of ['charts', 'charts/web/**', `${directory}/charts/*`])
      expect((await probewright('check', directory, '--exclude', glob)).stderr).toBe('');
  });

  it('is rendered by helm, and findings stand at lines of the templates', async () => {
    await tools({ helm: `cat <<'END'\n${RENDERED}END\nfor arg in "$@"; do echo "# $arg" >> '${at('args')}'; done\n` });
    const { stderr } = await probewright('check', directory, '--render-charts', '--namespace', 'apps');
    expect(stderr).toBe('');
    expect(await findings(directory, '--render-charts')).toEqual([
      ['named-port', 'DIR/charts/web/charts/cache/templates/cache.yaml', 16, 'cache'],
      ['named-port', 'DIR/charts/web/templates/web.yaml', 16, 'web'],
      ['named-port', 'DIR/plain.yaml', 15, 'plain'],
    ]);
  });

  it('is rendered without a shell, with the namespace and without tests', async () => {
    await write({ 'odd; $(x)/Chart.yaml': 'name: "-x; y"\n', 'policy.yaml': POLICY });
    await tools({ helm: `printf '%s\\n' "$@" > '${at('args.txt')}'\n` });
    const { code } = await probewright(
      'check',
      at('odd; $(x)'),
      at('plain.yaml'),
      '--render-charts',
      '--namespace',
      'apps',
    );
    expect(code).toBe(1);
    expect(await readFile(at('args.txt'), 'utf8')).toBe(
      ['template', 'release', at('odd; $(x)'), '--namespace', 'apps', '--skip-tests', ''].join('\n'),
    );
    expect((await probewright('check', at('odd; $(x)'))).stderr).toContain(
      "chart -x; y: not rendered; helm template release 'DIR/odd; $(x)' | probewright check -",
    );
  });

  it.each([
    ['is not on the PATH', {}, 'cannot be rendered: helm is not on the PATH'],
    [
      'fails',
      { helm: 'echo "Error: found in Chart.yaml," >&2; echo "  but missing in charts/" >&2; exit 1' },
      'cannot be rendered: helm: Error: found in Chart.yaml, but missing in charts/',
    ],
    [
      'prints no UTF-8',
      { helm: "printf '\\377'" },
      'cannot be rendered: the output of helm cannot be read: it is not UTF-8',
    ],
  ])('is an error with the path of Chart.yaml when helm %s', async (_case, scripts, message) => {
    await tools(scripts);
    const { code, stdout, stderr } = await probewright('check', directory, '--render-charts');
    expect(code).toBe(2);
    expect(stderr).toContain(`DIR/charts/web/Chart.yaml:1:1: ${message}`);
    expect(stdout).toContain('Deployment default/plain');
  });

  it('names no file outside the chart, whatever the output says', async () => {
    const forged = RENDERED.replace('web/templates/web.yaml', 'web/../../secret.yaml').replace('web/charts', '/etc');
    await tools({ helm: `cat <<'END'\n${forged}END\n` });
    const files = (await findings(at('charts/web'), '--render-charts')).map(([, file]) => file);
    expect(files).toEqual(['DIR/charts/web/Chart.yaml', 'DIR/charts/web/Chart.yaml']);
  });
});

describe('a kustomization below a directory', () => {
  beforeEach(async () => {
    await write({
      'base/kustomization.yaml': 'resources: [deploy.yaml]\n',
      'base/deploy.yaml': deployment('web'),
      'overlays/prod/kustomization.yaml':
        'resources: [../../base]\npatches:\n  - path: patch.yaml\n  - path: more/strategic.yaml\n' +
        'patchesStrategicMerge:\n  - |-\n    kind: Deployment\n    metadata: { name: web }\ncomponents: [../../debug]\n' +
        'configMapGenerator:\n  - { name: c, files: [config.yaml=settings.yaml] }\n',
      'overlays/prod/patch.yaml': 'kind: Deployment\napiVersion: apps/v1\nspec: { template: { spec: 5 } }\n',
      'overlays/prod/more/strategic.yaml': '- op: remove\n  path: /spec\n',
      'overlays/prod/settings.yaml': 'a: [\n',
      'debug/kustomization.yaml': 'kind: Component\npatches: [{ path: p.yaml }]\n',
      'debug/p.yaml': '- op: remove\n  path: /spec\n',
      'stray.yaml': deployment('stray'),
      'flux/kustomization.yaml': `kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/v1\n---\n${deployment('flux')}`,
    });
  });

  it('is built by kubectl, once, and its files are not checked a second time', async () => {
    await tools({ kubectl: `echo "$@" >> '${at('args.txt')}'\ncat <<'END'\n${deployment('built')}END\n` });
    expect(await findings(directory, '--render-charts')).toEqual([
      ['named-port', 'DIR/flux/kustomization.yaml', 18, 'flux'],
      ['named-port', 'DIR/overlays/prod/kustomization.yaml', 1, 'built'],
      ['named-port', 'DIR/stray.yaml', 15, 'stray'],
    ]);
    expect(await readFile(at('args.txt'), 'utf8')).toBe(`kustomize ${at('overlays/prod')}\n`);
  });

  it('is an error with its path when kubectl fails', async () => {
    await tools({ kubectl: 'echo "error: no such file" >&2; exit 1' });
    const { code, stderr } = await probewright('check', directory, '--render-charts');
    expect(code).toBe(2);
    expect(stderr).toBe('DIR/overlays/prod/kustomization.yaml:1:1: cannot be rendered: kubectl: error: no such file\n');
  });

  it('is built when it is in a cycle, so that kustomize reports the cycle', async () => {
    await rm(at('overlays'), { recursive: true });
    await write({
      'overlays/prod/kustomization.yaml': 'resources: [../../base]\n',
      'base/kustomization.yaml': 'resources: [../overlays/prod]\n',
    });
    await tools({ kubectl: 'echo "error: cycle detected" >&2; exit 1' });
    const { stderr } = await probewright('check', at('base'), at('overlays'), '--render-charts');
    expect(stderr).toBe('DIR/base/kustomization.yaml:1:1: cannot be rendered: kubectl: error: cycle detected\n');
  });

  it('with a remote base is built only with --allow-remote-bases', async () => {
    await write({ 'remote/kustomization.yaml': 'resources: [github.com/team/app//base?ref=v1]\n' });
    await tools({ kubectl: `echo "$*" > '${at('args.txt')}'; echo "git: $GIT_ALLOW_PROTOCOL"` });
    const refused = await probewright('check', at('remote'), '--render-charts');
    expect(refused).toMatchObject({
      code: 2,
      stderr:
        'DIR/remote/kustomization.yaml:1:1: cannot be rendered: DIR/remote/kustomization.yaml: resources has ' +
        '"github.com/team/app//base?ref=v1", which kustomize would download; keep a copy in the repository, or add ' +
        '--allow-remote-bases if you trust the address\n',
    });
    await expect(readFile(at('args.txt'), 'utf8')).rejects.toThrow('ENOENT');
    for (const command of ['check', 'fix', 'explain', 'report', 'snapshot']) {
      await probewright(command, at('remote'), '--render-charts', '--allow-remote-bases');
      expect(await readFile(at('args.txt'), 'utf8')).toBe(`kustomize ${at('remote')}\n`);
      await rm(at('args.txt'));
    }
  });

  it('runs git without protocols unless remote bases are allowed', async () => {
    await tools({ kubectl: `echo "git: $GIT_ALLOW_PROTOCOL" >&2; exit 1` });
    const strict = await probewright('check', at('base'), '--render-charts');
    expect(strict.stderr).toContain('kubectl: git: none\n');
    const trusting = await probewright('check', at('base'), '--render-charts', '--allow-remote-bases');
    expect(trusting.stderr).toContain('kubectl: git:\n');
  });
});
