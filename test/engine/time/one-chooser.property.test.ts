import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectSecondsKept } from '../../support/startup-figures.ts';
import { runs } from '../../support/runs.ts';
import { appContainer, deploymentOf, pod } from '../../support/worlds.ts';
import { without, type JsonObject } from '../../../src/base/json/json-value.ts';
import { runProbewright } from '../../cli/run-probewright.ts';

const numbers = fc.record(
  {
    initialDelaySeconds: fc.constantFrom(0, 5, 30, 31, 60, 119, 300, 900, 2000),
    periodSeconds: fc.constantFrom(1, 2, 3, 5, 7, 10, 20, 30, 60),
    timeoutSeconds: fc.constantFrom(1, 2, 5, 7, 10, 20, 30),
    failureThreshold: fc.constantFrom(1, 2, 3, 6, 10, 30, 60),
    terminationGracePeriodSeconds: fc.constantFrom(10, 40),
  },
  { requiredKeys: [] },
);
const probe = (handlers: readonly JsonObject[]) =>
  fc.tuple(fc.constantFrom(...handlers), numbers).map(([handler, own]): JsonObject => ({ ...handler, ...own }));
const liveness = probe([
  { httpGet: { path: '/live', port: 'http' } },
  { exec: { command: ['pg_isready'] } },
  { tcpSocket: { port: 'http' } },
]);
// A readiness probe has no grace period.
const readiness = fc
  .tuple(
    probe([{ httpGet: { path: '/ready', port: 'http' } }, { httpGet: { path: '/live', port: 'http' } }]),
    fc.constantFrom(1, 2),
  )
  .map(([own, successThreshold]) => ({ ...without(own, 'terminationGracePeriodSeconds'), successThreshold }));

describe('the numbers of a startup probe', () => {
  it('are those of advice and of /mutate, and no edit, nor all together, end a failed start more than a tenth later', () => {
    let compared = 0;
    fc.assert(
      fc.property(liveness, fc.option(readiness, { nil: undefined }), (livenessProbe, readinessProbe) => {
        const container = appContainer({ livenessProbe, ...(readinessProbe && { readinessProbe }) });
        compared += expectSecondsKept(deploymentOf(pod([container])));
      }),
      { numRuns: runs(3000) },
    );
    expect(compared).toBeGreaterThan(20);
  });

  it('are the same in check, fix --advice, fix --policies and explain', async () => {
    const probes = { livenessProbe: { httpGet: { path: '/live', port: 'http' }, initialDelaySeconds: 300 } };
    const stdin = JSON.stringify(deploymentOf(pod([appContainer(probes)])));
    const run = async (...args: string[]) => (await runProbewright([...args, '--no-project-file'], { stdin })).stdout;
    expect(await run('check', '-')).toContain('periodSeconds: 5, failureThreshold: 68');
    const policy = ['--policies', 'test/fixtures/policies/slow-start-from-delay.yaml'];
    const fixed = await Promise.all([
      run('fix', '-', '--advice', '--output', 'json'),
      run('fix', '-', ...policy, '--output', 'json'),
    ]);
    for (const text of fixed) expect(text.replace(/\s/g, '')).toContain('"periodSeconds":5,"failureThreshold":68');
    expect(await run('explain', '-', ...policy, '--details')).toMatch(/335 s/);
  });
});
