import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectHarmless, HOSTILE } from '../../support/hostile-text.ts';
import { runProbewright, type Ran } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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

describe('probewright plan', () =>
  it.each(['text', 'json', 'markdown'])('prints a plan as %s', async (output) => {
    const { code, stdout, stderr } = await plan(...(await change()), '--output', output);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const extension = { text: 'txt', json: 'json', markdown: 'md' }[output] ?? '';
    await expect(stdout).toMatchFileSnapshot(`../../golden/plan/plan.${extension}`);
  }));

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

  it('has less than 60,000 characters as Markdown, and says how many effects are left out', async () => {
    const long = 'a'.repeat(10_000);
    const workloads = Array.from({ length: 60 }, (_, index) =>
      deployment(`${long}${index}`, { ports: [{ name: 'http', containerPort: 8000 + index }] }),
    );
    const file = await write('in.yaml', ...workloads);
    const spec = { containers: ['*'], probes: { livenessProbe: { exec: { command: ['x', 'y\n'.repeat(5000)] } } } };
    const now = await write('new.yaml', clusterPolicy('all', spec));
    const many = await write(
      'many.yaml',
      ...Array.from({ length: 400 }, (_, index) => deployment(`w${index}`, { name: `c${index}` })),
    );
    const each = Array.from({ length: 400 }, (_, index) =>
      policy(`p${index}`, { ...(readiness(`/${index}`) as object), containers: [`c${index}`] }),
    );
    const eachFile = await write('each.yaml', ...each);
    const one = await plan('--policies', now, file, '--output', 'markdown');
    expect(one.stdout.length).toBeLessThan(60_000);
    const { stdout } = await plan('--policies', eachFile, many, '--output', 'markdown');
    expect(stdout.length).toBeLessThan(60_000);
    expect(stdout.length).toBeGreaterThan(40_000);
    const shown = stdout.match(/^### /gm)?.length ?? 0;
    expect(stdout).toContain(`There is no room here for ${400 - shown} more effects.`);
  });
});
