import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { observeNode } from '../../src/process/process-metrics.ts';

async function busySeconds(registry: Registry): Promise<number> {
  const metric = await registry.getSingleMetric('probewright_event_loop_busy_seconds_total')?.get();
  return metric?.values[0]?.value ?? NaN;
}

it('the busy time of the event loop grows while a function blocks the loop, and hardly while the loop waits', async () => {
  const registry = new Registry();
  observeNode(registry);
  const start = await busySeconds(registry);
  const until = performance.now() + 200;
  while (performance.now() < until);
  const blocked = await busySeconds(registry);
  expect(blocked - start).toBeGreaterThanOrEqual(0.199);
  const before = performance.now();
  await sleep(300);
  const share = ((await busySeconds(registry)) - blocked) / ((performance.now() - before) / 1000);
  expect(share).toBeLessThan(0.8);
});

it('no metric samples the lag of the event loop, because each sample wakes up the process', async () => {
  const registry = new Registry();
  observeNode(registry);
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('nodejs_eventloop'))).toEqual(['nodejs_eventloop_lag_seconds']);
  expect(names).toContain('process_cpu_seconds_total');
});
