import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectValidReply } from '../support/protocol.ts';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';
import { UID, ask, askHealth, keepAlive } from './client.ts';
import { mebibytes, readable, report } from './figures.ts';
import { Program } from './program.ts';
import { SOAK_REQUESTS } from './settings.ts';

/** What the heap may grow by from the first tenth to the end: a byte for each request would be seen in a long soak. */
const HEAP_MARGIN_BYTES = 6 * 1024 * 1024;
const CALLERS = 8;

let program: Program;
beforeAll(async () => {
  program = await Program.start({ nodeArgs: ['--max-old-space-size=256'] });
});
afterAll(() => program.stop());

it('many requests leave no memory behind and no error', async () => {
  // As in a cluster: other names, namespaces and containers all the time, which must not be remembered.
  const body = (index: number): string => {
    const names = Array.from({ length: 1 + (index % 5) }, (_, container) => `c${index}-${container}`);
    const containers = names.map((name) =>
      appContainer({ name, ...(index % 3 === 0 && { readinessProbe: { exec: { command: ['ls'] } } }) }),
    );
    const metadata = { name: `web-${index}`, namespace: `team-${index % 5000}`, labels: { app: `app-${index}` } };
    return JSON.stringify(reviewOf(pod(containers, { metadata }), { namespace: metadata.namespace }));
  };
  let sent = 0;
  const codes = new Map<number, number>();
  const run = async (until: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        const agent = keepAlive();
        while (sent < until) {
          const index = sent++;
          const webhook = index % 2 === 0 ? 'mutate' : 'validate';
          const { code, body: answer } = await ask(program.port, {
            agent,
            path: `/${webhook}?timeout=10s`,
            body: body(index),
          });
          codes.set(code, (codes.get(code) ?? 0) + 1);
          if (index % 100 < 2) expectValidReply(webhook, UID, JSON.parse(answer));
        }
        agent.destroy();
      }),
    );
  };
  await run(Math.floor(SOAK_REQUESTS / 10));
  const early = await program.vitals();
  const began = performance.now();
  await run(SOAK_REQUESTS);
  const took = performance.now() - began;
  const late = await program.vitals();
  expect([...codes.keys()]).toEqual([200]);
  const growth = late.heapUsed - early.heapUsed;
  expect(growth).toBeLessThan(HEAP_MARGIN_BYTES);
  const { body: metrics } = await askHealth(program.healthPort, '/metrics');
  expect(metrics).not.toMatch(/^probewright_admission_requests_total\{.*result="error".*\} [1-9]/m);
  expect(metrics).toContain('probewright_admission_in_flight 0');
  report(
    'Soak',
    `${SOAK_REQUESTS} requests of ${CALLERS} callers, all other Pods`,
    `no error; heap ${mebibytes(early.heapUsed)} after a tenth, ${mebibytes(late.heapUsed)} at the end; resident ${mebibytes(early.rss)} and ${mebibytes(late.rss)}; ${readable(took)}`,
  );
}, 3_600_000);
