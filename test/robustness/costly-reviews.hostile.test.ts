import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { appContainer, reviewOf } from '../support/worlds.ts';
import { ask, askHealth, keepAlive } from './client.ts';
import { readable, report } from './figures.ts';
import { Program } from './program.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

/** timeoutSeconds of the chart's liveness probe. */
const KUBELET_MILLISECONDS = 5000;
/** Each caller waits for its answer before it sends the next review. */
const CALLERS = 2;
const ROUNDS = 12;

const floors = Object.keys(CHECK_CATALOGUE).map((id) => `${id}: { floor: Deny }`);
const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: floors }
spec: { checks: { ${floors.join(', ')} } }
`;

const deployment = (containers: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'apps' },
  spec: { selector: {}, template: { metadata: { labels: { app: 'web' } }, spec: { containers } } },
});

/** 300 containers with three different scripts of 4 KB each, before and after an update: as much as a body may hold. */
function costly(tag: string): JsonObject {
  const script = 'a;'.repeat(1700);
  const containers = Array.from({ length: 300 }, (_, index) => ({
    name: `c${index}`,
    image: 'x',
    ...Object.fromEntries(
      ['livenessProbe', 'readinessProbe', 'startupProbe'].map((kind) => [
        kind,
        { exec: { command: ['sh', '-c', `${tag}${index}${kind};${script}`] } },
      ]),
    ),
  }));
  return deployment(containers);
}

let program: Program;
beforeAll(async () => {
  program = await Program.start({ policy: POLICY, args: ['--log-level', 'error'] });
});
afterAll(() => program.stop());

it('costly reviews of one client stop neither the kubelet nor the denials of other clients', async () => {
  const flood = JSON.stringify(reviewOf(costly('n'), { operation: 'UPDATE', oldObject: costly('o') }));
  const wrong = deployment([appContainer({ livenessProbe: { httpGet: { path: '/live', port: 'htpp' } } })]);
  const body = JSON.stringify(reviewOf(wrong));
  const state = { isOver: false };
  const flooding = Array.from({ length: CALLERS }, async () => {
    const agent = keepAlive();
    for (let round = 0; round < ROUNDS; round += 1)
      expect((await ask(program.port, { agent, path: '/validate?timeout=10s', body: flood })).code).toBe(200);
    agent.destroy();
  });
  const over = Promise.all(flooding).finally(() => (state.isOver = true));
  const other = keepAlive({ localAddress: '127.0.0.2' });
  const [live, denials]: [number[], number[]] = [[], []];
  const timed = async (into: number[], call: () => Promise<unknown>): Promise<void> => {
    const began = performance.now();
    await call();
    into.push(performance.now() - began);
  };
  while (!state.isOver) {
    await timed(live, async () => expect((await askHealth(program.healthPort, '/livez')).code).toBe(200));
    await timed(denials, async () => {
      const answer = await ask(program.port, { agent: other, path: '/validate?timeout=10s', body });
      expect(answer.body).toContain('"allowed":false');
    });
  }
  await over;
  other.destroy();
  expect(live.length).toBeGreaterThan(5);
  expect(Math.max(...live)).toBeLessThan(KUBELET_MILLISECONDS);
  expect(Math.max(...denials)).toBeLessThan(KUBELET_MILLISECONDS);
  const [slowest, last] = [live, denials].map((times) => readable(Math.max(...times)));
  report(
    'Long decisions',
    `${CALLERS * ROUNDS} costly updates of one client`,
    `/livez after ${slowest}, others denied after ${last}`,
  );
});
