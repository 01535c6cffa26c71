import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProbewright } from '../../cli/run-probewright.ts';
import { categoryOf } from '../../../src/observer/reports/report-result.ts';
import { CHECKS } from '../../../src/engine/checks/catalogue.ts';
import type { ExplainOutput } from '../../../src/cli/output/json-outputs.ts';

/** A probe without a restart ends the container in time, and what the API server rejects counts as absent. */
const TIMES_HOLD = ['liveness-never-restarts', 'valid-probe'];

const broken = CHECKS.filter(({ id, cannotWork }) => cannotWork && !TIMES_HOLD.includes(id)).map(({ id }) => id);
const fixturesOf = (id: string): string[] =>
  readdirSync(`test/fixtures/checks/${id}/fail`).map((file) => join(`test/fixtures/checks/${id}/fail`, file));

async function explained(manifest: string, ...args: string[]): Promise<ExplainOutput['workloads']> {
  const { stdout } = await runProbewright(['explain', '-', '--output', 'json', ...args], { stdin: manifest });
  return (JSON.parse(stdout) as ExplainOutput).workloads;
}

describe('a probe that cannot work', () => {
  it.each(broken.flatMap((id) => fixturesOf(id).map((file) => [id, file] as const)))(
    'by %s has no figure, and the finding is named: %s',
    async (id, file) => {
      const manifest = readFileSync(file, 'utf8');
      const containers = (await explained(manifest)).flatMap((workload) => workload.containers);
      const found = containers.filter(({ cannotWork = [] }) => cannotWork.some(({ check }) => check === id));
      expect(found.length).toBeGreaterThan(0);
      for (const { cannotWork = [], figures, caveats } of found) {
        const kinds: readonly string[] = cannotWork.map(({ probe }) => probe);
        const isStartBroken = kinds.includes('startupProbe');
        expect(figures.filter(({ probe }) => isStartBroken || kinds.includes(probe))).toEqual([]);
        expect(caveats.join(' ')).toContain(id);
      }
      const { stdout } = await runProbewright(['explain', '-'], { stdin: manifest });
      expect(stdout).toContain(id);
    },
  );

  const pod = (probes: string): string =>
    `{ apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x,
      ports: [{ name: http, containerPort: 8080 }, { name: https, containerPort: 8443 }], ${probes} }] } }`;
  const GOOD = '{ httpGet: { path: /a, port: http } }';
  const BROKEN = '{ httpGet: { path: /a, port: https } }';
  const WHY = 'Probe cannot work (https-scheme)';

  it.each([
    ['the readiness', `livenessProbe: ${GOOD}, readinessProbe: ${BROKEN}`, ['traffic']],
    ['the liveness', `livenessProbe: ${BROKEN}, readinessProbe: ${GOOD}`, ['starts', 'hangs']],
    ['the liveness behind a startup', `startupProbe: ${GOOD}, livenessProbe: ${BROKEN}`, ['hangs']],
    ['the startup', `startupProbe: ${BROKEN}, livenessProbe: ${GOOD}`, ['starts', 'hangs', 'traffic']],
  ])('that is %s probe leaves unknown what depends on it, and no more', async (_, probes, unknown) => {
    const { stdout } = await runProbewright(['explain', '-'], { stdin: pod(probes) });
    const lines = ['starts', 'hangs', 'traffic'].filter((about) =>
      stdout.split('\n').some((line) => line.trim().startsWith(about) && line.includes(WHY)),
    );
    expect(lines).toEqual(unknown);
    const { stdout: page } = await runProbewright(['report', '-'], { stdin: pod(probes) });
    expect(page).toContain('cannot work (https-scheme)');
    expect(/<span>not known<\/span><\/summary>/.test(page)).toBe(unknown.includes('starts'));
  });

  it('has no times in details and in the picture either', async () => {
    const manifest = pod(`livenessProbe: ${BROKEN}`);
    const { stdout } = await runProbewright(['explain', '-', '--details'], { stdin: manifest });
    expect(stdout).toContain('Its times are not known: its livenessProbe cannot work (https-scheme).');
    expect(stdout).toContain('Not known: its livenessProbe cannot work (https-scheme).');
    expect(stdout).not.toMatch(/SIGTERM|dead by|guaranteed/);
  });

  it('has its figures where a policy switches the check off, or an exception allows the finding', async () => {
    const manifest = pod(`livenessProbe: ${BROKEN}`);
    const policy = `{ apiVersion: probewright.dev/v1alpha1, kind: ClusterProbePolicy, metadata: { name: x },
      spec: { checks: { https-scheme: { action: Off } } } }`;
    const exception = `{ apiVersion: probewright.dev/v1alpha1, kind: ProbeException, metadata: { name: x, namespace: default },
      spec: { checks: [https-scheme], workloads: [{ kind: Pod, name: web }], owner: a, reason: It speaks plain HTTP.,
      expires: "2027-01-31T00:00:00Z" } }`;
    for (const also of [policy, exception]) {
      const [workload] = await explained(`${manifest}\n---\n${also}`, '--now', '2026-11-20T12:00:00Z');
      expect(workload?.containers[0]?.figures.length).toBeGreaterThan(0);
    }
    expect((await explained(manifest))[0]?.containers[0]?.figures).toEqual([]);
  });

  it('tells in the summary why a policy adds no probe, with the code of the reason', async () => {
    const policy = `{ apiVersion: probewright.dev/v1alpha1, kind: ClusterProbePolicy, metadata: { name: x },
      spec: { containers: [app], kubernetesProbeEndpoints: { livenessProbe: /livez } } }`;
    const bare =
      '{ apiVersion: v1, kind: Pod, metadata: { name: web, labels: { app: web } }, spec: { containers: [{ name: app, image: x }] } }';
    const { stdout } = await runProbewright(['explain', '-'], { stdin: `${bare}\n---\n${policy}` });
    expect(stdout).toMatch(/^ {2}not injected \(no-port\): container "app", livenessProbe: /m);
  });
});

describe('a probe that succeeds while the application fails', () => {
  const pod = (probes: string): string =>
    `{ apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x, ${probes} }] } }`;

  it.each([
    ['livenessProbe', 'exec: { command: [curl, localhost] }', 'never restarts an application that answers errors'],
    ['readinessProbe', 'exec: { command: [redis-cli, ping] }', 'never takes traffic from an application that answers'],
    ['startupProbe', 'exec: { command: [sh, -c, "check || true"] }', 'passes while the application answers errors'],
  ])('works, so no text says that it cannot work: %s: { %s }', async (kind, handler, truth) => {
    const stdin = pod(`${kind}: { ${handler} }`);
    const { stdout } = await runProbewright(['explain', '-'], { stdin });
    expect(stdout).toContain(`not known: its ${kind} hides failures (exec-always-true)`);
    expect(stdout).toContain(`${kind} ${truth}`);
    expect(stdout).not.toContain('cannot work');
    const [workload] = await explained(stdin);
    expect(workload?.containers[0]).toMatchObject({ figures: [], caveats: [expect.stringContaining(truth)] });
    expect(workload?.containers[0]?.cannotWork).toBeUndefined();
  });

  it('is in the category "Will hurt" of reports', () => {
    expect(categoryOf('exec-always-true')).toBe('Will hurt');
  });
});
