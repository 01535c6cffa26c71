import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { fleet } from '../../explain/fleet-page/fleet.ts';
import { runProbewright } from '../run-probewright.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});

const MANIFESTS = ['examples/manifests', '--policies', 'examples/policies', '--now', '2026-11-20T12:00:00Z'];

describe('probewright report', () => {
  it('prints a page, and ends with 0 whatever the verdicts are', async () => {
    const { code, stdout, stderr } = await runProbewright(['report', '-'], { stdin: fleet(20) });
    expect({ code, stderr, head: stdout.slice(0, 32), end: stdout.slice(-8) }).toEqual({
      code: 0,
      stderr: '',
      head: '<!doctype html>\n<html lang="en">',
      end: '</html>\n',
    });
  });

  it('has the findings of check, all of them', async () => {
    const manifests = fleet(30);
    const { stdout: json } = await runProbewright(['check', '-', '--output', 'json', '--min-level', 'note'], {
      stdin: manifests,
    });
    const { violations } = JSON.parse(json) as { violations: { check: string; action: string; path: string }[] };
    const { stdout } = await runProbewright(['report', '-'], { stdin: manifests });
    const page = stdout.replaceAll('<wbr>', '');
    const labels: Record<string, string> = { Deny: 'Denied', Warn: 'Warned', Audit: 'Noted' };
    const found = [...page.matchAll(/<li><i class=\w+>(\w+)<\/i> <a [^>]*>([\w-]+)<\/a>.*<code>([^<]*)<\/code>/g)];
    expect(found.map(([, action, check, path]) => `${action} ${check} ${path}`).sort()).toEqual(
      violations.map(({ action, check, path }) => `${labels[action]} ${check} ${path}`).sort(),
    );
  });

  it('of files says which states of live Pods it cannot know, beyond what an observer had reported', async () => {
    const report = {
      ...{ apiVersion: 'openreports.io/v1alpha1', kind: 'Report', metadata: { name: 'r', namespace: 'apps' } },
      ...{ source: 'probewright', scope: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, results: [] },
    };
    const line = async (stdin: string): Promise<string | undefined> =>
      /<p><bdi>(.*)<\/bdi>/.exec((await runProbewright(['report', '-'], { stdin })).stdout)?.[1];
    const states = 'failing probes, restarts, waiting Pods and missing probes of live Pods are unknown';
    expect(await line(fleet(2))).toBe(`1 file (${states})`);
    const ofObserver = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [report] });
    expect([`1 file (${states})`, `1 file (beyond what the observer had reported, ${states})`]).toContain(
      await line(ofObserver),
    );
  });

  it('writes the same page into a file', async () => {
    const { stdout: page } = await runProbewright(['report', ...MANIFESTS]);
    const file = join(directory, 'report.html');
    expect(await runProbewright(['report', ...MANIFESTS, '--output-file', file])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await readFile(file, 'utf8')).toBe(page);
  });

  it('names a file that cannot be written', async () => {
    const file = join(directory, 'missing', 'report.html');
    const { code, stderr } = await runProbewright(['report', ...MANIFESTS, '--output-file', file], { directory });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^probewright report: DIR\/missing\/report.html cannot be written: .*ENOENT/,
      ) as string,
    });
  });

  it('shows what it could not read, also on standard error, and ends with 2', async () => {
    const { code, stdout, stderr } = await runProbewright(['report', '-'], { stdin: '{ a: [ }' });
    expect(code).toBe(2);
    expect(stderr).toContain('<stdin>:1:');
    expect(stdout).toContain('<h3>Not everything could be read</h3><ul>\n<li><bdi>&lt;stdin&gt;:1: ');
  });

  it('of no workload is an empty page, and says so', async () => {
    const { code, stdout, stderr } = await runProbewright(['report', '-'], { stdin: '' });
    expect(code).toBe(0);
    expect(stderr).toBe('probewright report: the inputs have no workload, so the page is empty\n');
    expect(stdout).toContain('<p>There are no workloads.</p>');
    // What to type next.
    expect(stdout).toContain('or read a cluster: <code>probewright report -A &gt; report.html</code></p>');
  });

  it('shows advice for policies at the policy', async () => {
    const policy = {
      apiVersion: 'probewright.dev/v1alpha1',
      kind: 'ProbePolicy',
      metadata: { name: 'web', namespace: 'apps' },
      spec: { kubernetesProbeEndpoints: { livenessProbe: '/ready' } },
    };
    const { stdout } = await runProbewright(['report', '-'], { stdin: JSON.stringify(policy) });
    expect(stdout).toMatch(
      /<th scope="row"><bdi>ProbePolicy\/apps\/web<\/bdi><\/th><td data-l="Workloads">0<\/td><td class="text"><p><bdi>.*dependency-liveness/,
    );
  });

  it('shows what the reports of an observer among the files say, and learned starts', async () => {
    const container = {
      name: 'app',
      image: 'x',
      ports: [{ containerPort: 8080 }],
      livenessProbe: { tcpSocket: { port: 8080 }, failureThreshold: 30 },
    };
    const [namespace, name] = ['apps', 'web'];
    const manifests = [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace },
        spec: { template: { spec: { containers: [container] } } },
      },
      {
        apiVersion: 'wgpolicyk8s.io/v1alpha2',
        kind: 'PolicyReport',
        metadata: { name: 'probewright-1', namespace },
        scope: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name },
        results: [
          {
            source: 'probewright',
            rule: 'missed-pods',
            message: 'Pods lack <probes>',
            properties: { pods: '2', fix: 'kubectl rollout restart deployment/web -n apps' },
          },
        ],
      },
      {
        apiVersion: 'probewright.dev/v1alpha1',
        kind: 'StartupProfile',
        metadata: { name: 'deployment-web', namespace },
        status: {
          workload: { apiVersion: 'apps/v1', kind: 'Deployment', name },
          containers: [
            { name: 'app', samples: [{ seconds: 41, basis: 'startup', at: '2026-11-19T12:00:00Z', id: 'a' }] },
          ],
        },
      },
    ];
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
    const { code, stdout, stderr } = await runProbewright(['report', '-', '--now', '2026-11-20T12:00:00Z'], { stdin });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(
      '<div class=live><p><b>missed-pods</b> <span>Pods lack &lt;probes&gt;</span></p><ul><li>Pods: 2\n</ul><code>kubectl rollout restart deployment/web -n apps</code></div>',
    );
    expect(stdout).toMatch(/<b>2<\/b> <span>Pods lack probes/);
    expect(stdout).toContain('; learned starts: 1, 41 s"');
    expect(stdout).toContain('; one measured start: 41 s\nhangs: ');
    expect(stdout).not.toContain('no limit on the time to start');
  });

  it('says nothing about a longer start where the endpoint of the container gives a wrong answer', async () => {
    const [namespace, name] = ['apps', 'web'];
    const probe = { httpGet: { path: '/healthz', port: 8080 }, failureThreshold: 4 };
    const containers = [{ name: 'app', image: 'x', ports: [{ containerPort: 8080 }], livenessProbe: probe }];
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name };
    const pageWith = async (cause: string): Promise<string> => {
      const properties = { cause, container: 'app', probe: 'livenessProbe', fix: 'x' };
      const manifests = [
        { ...workload, metadata: { name, namespace }, spec: { template: { spec: { containers } } } },
        {
          apiVersion: 'wgpolicyk8s.io/v1alpha2',
          kind: 'PolicyReport',
          metadata: { name: 'probewright-1', namespace },
          scope: { ...workload, namespace },
          results: [{ source: 'probewright', rule: 'probe-failing', message: 'fails', properties }],
        },
        {
          apiVersion: 'probewright.dev/v1alpha1',
          kind: 'StartupProfile',
          metadata: { name: 'deployment-web', namespace },
          status: { workload, containers: [{ name: 'app', samples: [], censored: 3, censoredBoundSeconds: 40 }] },
        },
      ];
      const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
      return (await runProbewright(['report', '-', '--now', '2026-11-20T12:00:00Z'], { stdin })).stdout;
    };
    const start = 'a probe has ended such a start';
    expect(await pageWith('killed-while-starting')).toContain(start);
    const page = await pageWith('http-404');
    expect(page).toContain('probe-failing');
    expect(page).not.toContain(start);
  });
});
