import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectHarmless, HOSTILE } from '../support/hostile-text.ts';
import { runProbewright, type Ran } from './run-probewright.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

let directory: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
});

const at = (name: string): string => join(directory, name);

async function write(name: string, ...documents: readonly unknown[]): Promise<string> {
  await mkdir(dirname(at(name)), { recursive: true });
  await writeFile(at(name), documents.map((document) => `${JSON.stringify(document)}\n`).join('---\n'));
  return at(name);
}

const plan = (...args: string[]): Promise<Ran> => runProbewright(['plan', ...args], { directory });

function policy(name: string, spec: unknown, namespace = 'apps'): unknown {
  return { apiVersion: 'probewright.dev/v1alpha1', kind: 'ProbePolicy', metadata: { name, namespace }, spec };
}

function clusterPolicy(name: string, spec: unknown): unknown {
  return { apiVersion: 'probewright.dev/v1alpha1', kind: 'ClusterProbePolicy', metadata: { name }, spec };
}

function deployment(name: string, members: object = {}, namespace = 'apps'): unknown {
  const container = { name: 'app', image: 'x', ports: [{ name: 'http', containerPort: 8080 }], ...members };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { template: { metadata: { labels: { app: name } }, spec: { containers: [container] } } },
  };
}

const readiness = (path: string): unknown => ({
  containers: ['*'],
  kubernetesProbeEndpoints: { readinessProbe: path },
});
const DENY_LIVENESS = { checks: { 'required-liveness': { action: 'Deny' } } };
const WARN_LIVENESS = { checks: { 'required-liveness': { action: 'Warn' } } };
const OWN_LIVENESS = { livenessProbe: { httpGet: { path: '/l', port: 'http' } } };

/** Six workloads: four of one group, one with probes of its own, and one in another namespace. */
async function fleet(): Promise<string> {
  return await write(
    'fleet.yaml',
    ...['web', 'api', 'cart'].map((name) => deployment(name)),
    deployment('shop', { name: 'shop' }),
    deployment('own', { ...OWN_LIVENESS, readinessProbe: { httpGet: { path: '/own', port: 'http' } } }),
    deployment('other', {}, 'other'),
  );
}

async function change(): Promise<string[]> {
  const files = await fleet();
  const old = await write('old/apps.yaml', policy('apps', readiness('/r')), clusterPolicy('rules', WARN_LIVENESS));
  const now = await write('new/apps.yaml', policy('apps', readiness('/ready')), clusterPolicy('rules', DENY_LIVENESS));
  return ['--policies', dirname(now), '--from', dirname(old), files];
}

describe('probewright plan', () => {
  it.each(['text', 'json', 'markdown'])('prints a plan as %s', async (output) => {
    const { code, stdout, stderr } = await plan(...(await change()), '--output', output);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const extension = { text: 'txt', json: 'json', markdown: 'md' }[output] ?? '';
    await expect(stdout).toMatchFileSnapshot(`../golden/plan/plan.${extension}`);
  });

  it('has the colours of a diff on a terminal', async () => {
    const { stdout } = await plan(...(await change()), '--color', 'always');
    expect(stdout).toContain('\n\u001b[31m-      path: /r\u001b[0m\n\u001b[32m+      path: /ready\u001b[0m\n');
    expect(stdout).toContain('\n\u001b[1m--- a/Pod\u001b[0m\n');
  });

  it('says in the last line that nothing changes, with exit code 0', async () => {
    const files = await fleet();
    const old = await write('old.yaml', policy('apps', readiness('/r')));
    expect(await plan('--policies', old, '--from', old, files)).toEqual({
      code: 0,
      stdout: 'Plan: 0 workloads get other probes, 0 would be denied at their next change, 0 no longer; 6 unchanged.\n',
      stderr: '',
    });
  });

  it('keeps old policies that the new ones do not name, and replaces those of the same kind, namespace and name', async () => {
    const file = await write('web.yaml', deployment('web'), deployment('other', {}, 'other'));
    const old = await write(
      'old.yaml',
      policy('a', readiness('/a')),
      policy('a', readiness('/other'), 'other'),
      clusterPolicy('a', { containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/live' } }),
    );
    const now = await write('new.yaml', policy('a', readiness('/b')));
    const { stdout } = await plan('--policies', now, '--from', old, file, '--output', 'json');
    const { workloads } = JSON.parse(stdout) as { workloads: unknown[] };
    expect(workloads).toEqual([
      {
        kind: 'Deployment',
        namespace: 'apps',
        name: 'web',
        probes: [
          {
            container: 'app',
            probe: 'readinessProbe',
            change: 'changed',
            before: { httpGet: { path: '/a', port: 'http' } },
            after: { httpGet: { path: '/b', port: 'http' } },
          },
        ],
        violations: [],
      },
    ]);
  });

  it('takes policies among the manifests as old ones, but not those of --policies', async () => {
    await write('repository/web.yaml', deployment('web'));
    await write('repository/policies/old.yaml', policy('a', readiness('/a')));
    const now = await write('repository/policies/new/new.yaml', policy('a', readiness('/b')));
    const { stdout, code } = await plan('--policies', dirname(now), at('repository'));
    expect(code).toBe(1);
    expect(stdout).toContain('-      path: /a\n+      path: /b\n');
  });

  it('replaces the labels of a namespace', async () => {
    const namespace = (labels: object): unknown => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'apps', labels },
    });
    const spec = { ...(readiness('/r') as object), namespaceSelector: { matchLabels: { tier: 'web' } } };
    const file = await write('in.yaml', deployment('web'), namespace({ tier: 'db' }), clusterPolicy('a', spec));
    const now = await write('new.yaml', namespace({ tier: 'web' }));
    const { stdout } = await plan('--policies', now, file);
    expect(stdout).toContain('+  readinessProbe:\n');
  });

  it('shows what the removal of policies does', async () => {
    const file = await write('web.yaml', deployment('web'));
    const old = await write('old.yaml', policy('a', readiness('/a')), clusterPolicy('rules', DENY_LIVENESS));
    const { code, stdout } = await plan(
      ...['--from', old, '--remove', 'ProbePolicy/apps/a', '--remove', 'ClusterProbePolicy/rules', file],
    );
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'Plan: 1 workload gets other probes, 0 would be denied at their next change, 1 no longer; 0 unchanged.',
    );
  });

  it('names a removed policy that there is not, with the name that was meant', async () => {
    const file = await write('web.yaml', deployment('web'));
    const old = await write('old.yaml', policy('apps', readiness('/a')));
    expect(
      await plan('--from', old, '--remove', 'ProbePolicy/apps/app', '--remove', 'ClusterProbePolicy/x', file),
    ).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'probewright plan: --remove: there is no ProbePolicy/apps/app; did you mean "ProbePolicy/apps/apps"?\n' +
        'probewright plan: --remove: there is no ClusterProbePolicy/x\n',
    });
    const { code, stderr } = await plan('--remove', 'apps/a', file);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '--remove: must be ProbePolicy/NAMESPACE/NAME, ProbeException/NAMESPACE/NAME or ClusterProbePolicy/NAME, not "apps/a"',
    );
  });

  it('needs a change', async () => {
    const { code, stderr } = await plan(await write('web.yaml', deployment('web')));
    expect(code).toBe(2);
    expect(stderr).toContain('--policies: name the new policies');
  });

  it.each(['old', 'new'])('prints no plan when one of the %s policies cannot be read', async (which) => {
    const file = await write('web.yaml', deployment('web'));
    const bad = await write('bad.yaml', policy('a', { contaners: [] }));
    const good = await write('good.yaml', policy('b', readiness('/a')));
    const [from, policies] = which === 'old' ? [bad, good] : [good, bad];
    const { code, stdout, stderr } = await plan('--from', from, '--policies', policies, file);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^DIR\/bad\.yaml:1:\d+: spec\.contaners: unknown .*did you mean "containers"\?/);
  });

  it('prints the plan of what can be read, with exit code 2 for the rest', async () => {
    const file = await write('web.yaml', deployment('web'));
    const now = await write('new.yaml', policy('a', readiness('/a')));
    const { code, stdout, stderr } = await plan('--policies', now, file, at('gone.yaml'));
    expect(code).toBe(2);
    expect(stdout).toContain('Plan: 1 workload gets other probes');
    expect(stderr).toContain('DIR/gone.yaml:1:1: cannot be read');
  });
});

describe('what only the text of a manifest shows', () => {
  it('is in the plan as in two runs of check: doubled keys and misplaced fields', async () => {
    const text = [
      'apiVersion: v1',
      'kind: Pod',
      'metadata: { name: web, namespace: apps }',
      'spec:',
      '  containers:',
      '    - name: app',
      '      image: x',
      '      livenessProbe: { tcpSocket: { port: 80, periodSeconds: 3 } }',
      '      livenessProbe: { tcpSocket: { port: 80 }, periodsSeconds: 3 }',
      '',
    ].join('\n');
    await writeFile(at('pod.yaml'), text);
    const now = await write('new.yaml', policy('a', { checks: { 'valid-probe': { action: 'Warn' } } }));
    const { code, stdout, stderr } = await plan('--policies', now, at('pod.yaml'), '--output', 'json');
    // The violation of the doubled key replaces the problem of the file.
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const { workloads, summary } = JSON.parse(stdout) as {
      workloads: { violations: { check: string; message: string; before: string; after: string }[] }[];
      summary: unknown;
    };
    const found = (await runProbewright(['check', at('pod.yaml'), '--output', 'json'])).stdout;
    const { violations } = JSON.parse(found) as { violations: { check: string; message: string }[] };
    const expected = violations.filter(({ check }) => check === 'valid-probe').map(({ message }) => message);
    expect(expected.length).toBe(2);
    expect(
      workloads[0]?.violations.map(({ check, message, before, after }) => [check, message, before, after]),
    ).toEqual(expected.map((message) => ['valid-probe', message, 'Deny', 'Warn']));
    expect(summary).toEqual({
      ...{ workloads: 1, changedProbes: 0, newlyDenied: 0, noLongerDenied: 1, newlyWarned: 1, noLongerWarned: 0 },
      unchanged: 0,
    });
  });

  it('says that the inputs are empty', async () => {
    const now = await write('new.yaml', policy('a', {}));
    await writeFile(at('empty.yaml'), '# nothing\n');
    const { code, stderr } = await plan('--policies', now, at('empty.yaml'));
    expect(code).toBe(0);
    expect(stderr).toBe('probewright plan: the inputs have no Kubernetes object, so the plan is empty\n');
  });
});

describe('the exit code of plan', () => {
  const NOTHING = {};
  it.each([
    ['other probes only', readiness('/a'), readiness('/b'), { any: 1, warned: 0, denied: 0 }],
    ['a first warning', NOTHING, WARN_LIVENESS, { any: 1, warned: 1, denied: 0 }],
    ['a denial', NOTHING, DENY_LIVENESS, { any: 1, warned: 1, denied: 1 }],
    ['a denial instead of a warning', WARN_LIVENESS, DENY_LIVENESS, { any: 1, warned: 1, denied: 1 }],
    ['a denial less', DENY_LIVENESS, NOTHING, { any: 1, warned: 0, denied: 0 }],
    ['no effect', DENY_LIVENESS, DENY_LIVENESS, { any: 0, warned: 0, denied: 0 }],
  ])('for %s', async (_effect, old, now, expected) => {
    const file = await write('web.yaml', deployment('web'));
    const from = await write('old.yaml', policy('a', old));
    const policies = await write('new.yaml', policy('a', now));
    const codes: Record<string, number> = {};
    for (const failOn of ['any', 'warned', 'denied'])
      codes[failOn] = (await plan('--from', from, '--policies', policies, '--fail-on', failOn, file)).code;
    expect(codes).toEqual(expected);
  });
});

describe('the text of a plan', () => {
  it('names the probe and the container of a number that changes', async () => {
    const file = await write('web.yaml', deployment('web'));
    const probe = (periodSeconds: number): unknown => ({
      containers: ['*'],
      probes: { readinessProbe: { httpGet: { path: '/r', port: 'http' }, timeoutSeconds: 2, periodSeconds } },
    });
    const old = await write('old.yaml', policy('apps', probe(5)));
    const now = await write('new.yaml', policy('apps', probe(7)));
    const { stdout } = await plan('--policies', now, '--from', old, file);
    expect(stdout).toContain(`@@ -1,7 +1,7 @@
 containers[0]: # app
   readinessProbe:
     httpGet:
       path: /r
       port: http
     timeoutSeconds: 2
-    periodSeconds: 5
+    periodSeconds: 7
`);
  });

  it('says that a violation is an example if the violations of the group differ', async () => {
    const now = await write('new.yaml', clusterPolicy('strict', DENY_LIVENESS));
    const text = 'container "app" has no livenessProbe and is never restarted when it hangs';
    const one = await write('one.yaml', deployment('web'), deployment('api'));
    const example = `container "app", livenessProbe: ${text}\n`;
    expect((await plan('--policies', now, one)).stdout).toContain(`\n  ${example}`);
    const two = await write('two.yaml', deployment('web'), deployment('api', { name: 'api' }));
    expect((await plan('--policies', now, two)).stdout).toContain(`\n  for example: ${example}`);
  });
});

describe('a plan with hostile or many names', () => {
  it.each(['text', 'json', 'markdown'])('is harmless as %s', async (output) => {
    const hostile = deployment(HOSTILE, { name: `${HOSTILE}\`\`\`\n# x <img src=x> @everyone` }, HOSTILE);
    const file = await write('in.yaml', hostile, deployment('web', { name: HOSTILE }));
    const path = `/${HOSTILE}`;
    const exec = {
      containers: ['*'],
      probes: { livenessProbe: { exec: { command: ['sh', '-c', `${path}\n::error::x`] } } },
    };
    const now = await write('new.yaml', clusterPolicy('all', { ...exec, ...DENY_LIVENESS }));
    for (const args of [[now], [now, '--color', 'never']]) {
      const { stdout, stderr } = await plan('--policies', ...(args as [string]), file, '--output', output);
      expectHarmless(stdout);
      expectHarmless(stderr);
      expect(stdout).toContain('\\u001b');
    }
  });

  it('keeps everything of manifests inside code blocks of Markdown', async () => {
    const file = await write('in.yaml', deployment('````diff', { name: '`````\n@everyone' }, '<b>'));
    const now = await write(
      'new.yaml',
      clusterPolicy('all', { ...(readiness('/`````````') as object), ...DENY_LIVENESS }),
    );
    const { stdout } = await plan('--policies', now, file, '--output', 'markdown');
    const outside = stdout.replaceAll(/^(`{3,})(?:diff|text)\n[\s\S]*?^\1\n/gm, '');
    expect(outside.replaceAll(/\n+/g, '\n')).toBe(
      '<!-- probewright plan -->\n' +
        '**Plan: 1 workload gets other probes, 1 would be denied at its next change, 0 no longer; 0 unchanged.**\n' +
        '### 1 workload gets other probes\n### 1 workload violates required-liveness (Deny)\n',
    );
  });

  it('has less than 60,000 characters as Markdown, and says how many effects are left out', async () => {
    const long = 'a'.repeat(10_000);
    const workloads = Array.from({ length: 300 }, (_, index) =>
      deployment(`${long}${index}`, {
        ports: [{ name: 'http', containerPort: 8000 + index }],
      }),
    );
    const file = await write('in.yaml', ...workloads);
    const spec = { containers: ['*'], probes: { livenessProbe: { exec: { command: ['x', 'y\n'.repeat(5000)] } } } };
    const now = await write('new.yaml', clusterPolicy('all', spec));
    const many = await write(
      'many.yaml',
      ...Array.from({ length: 600 }, (_, index) => deployment(`w${index}`, { name: `c${index}` })),
    );
    const each = Array.from({ length: 600 }, (_, index) =>
      policy(`p${index}`, { ...(readiness(`/${index}`) as object), containers: [`c${index}`] }),
    );
    const eachFile = await write('each.yaml', ...each);
    const one = await plan('--policies', now, file, '--output', 'markdown');
    expect(one.stdout.length).toBeLessThan(60_000);
    const { stdout } = await plan('--policies', eachFile, many, '--output', 'markdown');
    expect(stdout.length).toBeLessThan(60_000);
    expect(stdout.length).toBeGreaterThan(40_000);
    const shown = stdout.match(/^### /gm)?.length ?? 0;
    expect(stdout).toContain(`There is no room here for ${600 - shown} more effects.`);
  });
});
