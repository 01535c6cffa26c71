import { beforeAll, expect, it } from 'vitest';
import { kubeconfigOf, startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { endedAfterAll } from '../support/started.ts';
import { clusterPolicyDocument, reviewOf } from '../support/worlds.ts';
import { besideCaller } from './beside-caller.ts';
import { ask, keepAlive } from './client.ts';
import { readable, report } from './figures.ts';
import { Program } from './program.ts';
import { MACHINE_FACTOR } from './settings.ts';

/** One review of a policy delays another caller by no more than this: design-live.md, section 2. */
const LIMIT_MILLISECONDS = 100;
/** As many workloads as a review looks at. */
const WORKLOADS = 3000;
const ATTACK_MILLISECONDS = 4000;
/** Something that delays others delays them each time. */
const GOES = 3;

const keep = endedAfterAll();
let api: FakeApiServer;
let program: Program;

beforeAll(async () => {
  api = await keep(startFakeApiServer());
  api.serve([{ apiVersion: 'v1', kind: 'Pod', resource: 'pods' }]);
  const kubeconfig = kubeconfigOf(api.access.server);
  program = await keep(Program.start({ args: ['--log-level', 'error'], kubeconfig }));
});

/** Deployments with so many containers each. Every probe has something wrong. */
function fill(containers: number): void {
  const container = {
    image: 'registry.example/app:1',
    ports: [{ name: 'http', containerPort: 8080 }],
    env: [{ name: 'A', value: 'x'.repeat(500) }],
    livenessProbe: { httpGet: { path: '/ready', port: 'htpp' }, timeoutSeconds: 30 },
    readinessProbe: { exec: { command: ['sh', '-c', 'curl http://localhost:8080/ready | grep -q ok'] } },
  };
  for (let index = 0; index < WORKLOADS; index += 1) {
    const template = {
      metadata: { labels: { app: `web-${index}` } },
      spec: { containers: Array.from({ length: containers }, (_, number) => ({ name: `c${number}`, ...container })) },
    };
    api.put(`/apis/apps/v1/namespaces/team-${index % 40}/deployments`, {
      metadata: { name: `web-${index}` },
      spec: { selector: { matchLabels: { app: `web-${index}` } }, template },
    });
  }
}

/** Reviews one policy after the other. Every policy is another one, so each review has an effect to compute. */
async function review(until: number): Promise<{ reviews: number; looked: number }> {
  const agent = keepAlive();
  let [reviews, looked] = [0, 0];
  while (performance.now() < until) {
    const checks = { 'required-startup': { action: 'Deny' }, 'probe-host': { action: 'Deny' } };
    const spec = { containers: ['*'], kubernetesProbeEndpoints: { startupProbe: `/s${reviews}` }, checks };
    const payload = JSON.stringify(reviewOf(clusterPolicyDocument(spec, 'new'), { namespace: '', dryRun: true }));
    const { code, body } = await ask(program.port, { agent, path: '/review-policies?timeout=5s', body: payload });
    expect(code).toBe(200);
    looked += Number(/of (\d+) workloads?/.exec(body)?.[1] ?? 0);
    reviews += 1;
  }
  agent.destroy();
  return { reviews, looked };
}

it.each([1, 10])('a review of a policy over 3,000 workloads of %i containers delays no other caller', async (size) => {
  fill(size);
  const seen: string[] = [];
  let delays = true;
  while (delays && seen.length < GOES) {
    let done = { reviews: 0, looked: 0 };
    const fared = await besideCaller(program, ATTACK_MILLISECONDS, async () => {
      done = await review(performance.now() + ATTACK_MILLISECONDS);
    });
    expect(fared.failures).toEqual([]);
    // Something was looked at.
    expect(done.looked).toBeGreaterThan(0);
    const most = Math.max(fared.delay, fared.longestTurn);
    delays = most > LIMIT_MILLISECONDS * MACHINE_FACTOR && fared.delay >= fared.stolen;
    seen.push(`p99 ${readable(fared.delay)}, longest turn ${readable(fared.longestTurn)}`);
    const scenario = `reviews of policies over ${WORKLOADS} workloads of ${size} containers`;
    const what = `${done.reviews} reviews of ${done.looked} workloads, ${fared.calls} other calls`;
    report('Hostile clients', scenario, `${what}, ${seen.at(-1) ?? ''}`);
  }
  expect(delays, seen.join('; then ')).toBe(false);
});
