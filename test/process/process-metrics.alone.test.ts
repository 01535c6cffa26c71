import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { observeNode, observeProcess, type ProcessSources } from '../../src/process/process-metrics.ts';

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

describe('the metrics of a process', () => {
  async function samples(more: Partial<ProcessSources> = {}): Promise<Readonly<Record<string, number>>> {
    const registry = new Registry();
    const sources: ProcessSources = {
      policies: () => ({ loaded: 3, problems: 2, lastSync: 5000 }),
      leader: () => true,
      now: () => 65_000,
      build: { version: '1.2.3', commit: 'abc' },
      ...more,
    };
    observeProcess(sources, 'statuses', [registry]);
    const metrics = await registry.getMetricsAsJSON();
    const lines = metrics.flatMap(({ name, values }) =>
      values.map(({ value, labels }) => [
        [
          name.replace('probewright_', ''),
          ...Object.values(labels).filter((label) => label !== process.versions.node),
        ].join(' '),
        value,
      ]),
    );
    return Object.fromEntries(lines) as Record<string, number>;
  }

  it('are those of its policies, its lead and its build', async () =>
    expect(await samples()).toEqual({
      'config_objects policy loaded': 3,
      'config_objects policy problem': 2,
      config_last_sync_timestamp_seconds: 5,
      config_age_seconds: 60,
      'policies_over_budget spec': 0,
      'policies_over_budget policies': 0,
      'policies_over_budget bytes': 0,
      'policies_over_budget total': 0,
      policy_budget_used_bytes: 0,
      policy_budget_bytes: 0,
      leader: 1,
      'build_info 1.2.3 abc': 1,
    }));

  it('have the time 0 of a sync, and no age, before the first one', async () => {
    const unknown = await samples({ policies: () => ({ loaded: 0, problems: 0, lastSync: undefined }) });
    expect(unknown['config_last_sync_timestamp_seconds']).toBe(0);
    expect(unknown['config_age_seconds']).toBeNaN();
  });

  it('say what is over a budget, and of what is left out', async () => {
    const overBudget = { spec: 1, policies: 2, bytes: 3, total: 4 };
    const full = await samples({
      leader: () => false,
      policyBudget: () => ({ overBudget, used: 5, total: 6 }),
      factBudgets: () => [{ kind: 'Service', leftOut: { object: 7, invalid: 8 } as never, used: 9 }],
    });
    expect(full).toMatchObject({
      'policies_over_budget spec': 1,
      'policies_over_budget policies': 2,
      'policies_over_budget bytes': 3,
      'policies_over_budget total': 4,
      policy_budget_used_bytes: 5,
      policy_budget_bytes: 6,
      'facts_left_out Service object': 7,
      'facts_left_out Service invalid': 8,
      'fact_budget_used_bytes Service': 9,
      leader: 0,
    });
  });

  it('name the version of the program where nothing else is given', async () =>
    expect(await samples({ build: undefined as never })).toHaveProperty([`build_info ${VERSION} unknown`], 1));
});
