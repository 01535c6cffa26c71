import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubeconfigOf } from '../cluster/client/fake-api-server.ts';
import { CHART_LIMIT_BYTES, chartNodeArgs } from './chart-memory.ts';
import { ask, askHealth } from './client.ts';
import { mebibytes, readable, report } from './figures.ts';
import { Program } from './program.ts';
import { TenantsApiServer, type StoredPolicy } from './tenants-api-server.ts';
import { appContainer, pod, reviewOf } from '../support/worlds.ts';

/** A start reads gigabytes here. */
const PATIENCE_MILLISECONDS = 240_000;

/** What tenants store, by name. Texts are made once, or the tests would need more memory than the process. */
export type HostilePolicies = Readonly<Record<string, () => Iterable<StoredPolicy>>>;

/** The value as the bytes of JSON. */
export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
/** That many short names, each another. */
export const numbers = (count: number, prefix = ''): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index.toString(36)}`);
/** An object of that many members with short names. */
export const tinyMembers = (count: number, value: unknown): object =>
  Object.fromEntries(numbers(count, 'k').map((key) => [key, value]));

const honest = (namespace: string): StoredPolicy => ({
  namespace,
  name: 'honest',
  spec: json({ kubernetesProbeEndpoints: { livenessProbe: `/${namespace}` } }),
});
/** In front of the hostile ones, among them and behind them, as etcd lists them. */
const HONEST = ['aa-team', 'hostile-5-team', 'zz-team'];

/** The tests of a replica that runs while tenants store these policies, one test for each scenario. */
export function replicaScenarios(scenarios: HostilePolicies): void {
  describe('a replica with the memory that the chart gives it', () => {
    let api: TenantsApiServer;
    let kubeconfig: string;
    let program: Program | undefined;

    beforeEach(async () => {
      api = new TenantsApiServer();
      kubeconfig = kubeconfigOf(await api.start());
    });
    afterEach(async () => {
      await program?.stop();
      program = undefined;
      await api.stop();
    });

    async function start(): Promise<Program> {
      program = await Program.start({ nodeArgs: chartNodeArgs(), args: ['--log-level', 'error'], kubeconfig });
      return program;
    }

    /** Whether a Pod of each honest namespace gets what its own policy says, now. */
    async function answers({ port }: Program): Promise<string[]> {
      const paths: string[] = [];
      for (const namespace of HONEST) {
        const object = pod([appContainer()], { metadata: { namespace } });
        const { body } = await ask(port, { body: JSON.stringify(reviewOf(object)) });
        const { patch = '' } = (JSON.parse(body) as { response: { patch?: string } }).response;
        paths.push(/"path":"(\/[a-z0-9-]+)"/.exec(Buffer.from(patch, 'base64').toString())?.[1] ?? 'nothing');
      }
      return paths;
    }

    function expectRunning(running: Program): void {
      const { exitCode, signalCode } = running.process;
      expect([exitCode, signalCode], running.output().slice(-2000)).toEqual([null, null]);
    }

    async function untilReady(running: Program): Promise<number> {
      const began = performance.now();
      while (performance.now() - began < PATIENCE_MILLISECONDS) {
        expectRunning(running);
        if ((await askHealth(running.healthPort, '/readyz').catch(() => undefined))?.code === 200)
          return performance.now() - began;
        await pause(100);
      }
      throw new Error(`not ready in time: ${running.output().slice(-2000)}`);
    }

    async function expectServing(running: Program): Promise<number> {
      await expect
        .poll(() => answers(running), { timeout: PATIENCE_MILLISECONDS })
        .toEqual(HONEST.map((each) => `/${each}`));
      expectRunning(running);
      const peak = await running.peakMemory();
      expect(peak).toBeLessThan(CHART_LIMIT_BYTES);
      return peak;
    }

    it.each(Object.keys(scenarios))(
      'starts and serves others while tenants store %s, and after a restart',
      async (scenario) => {
        const first = await start();
        await untilReady(first);
        await api.untilWatched();
        await api.store(HONEST.slice(0, 2).map(honest));
        await api.store(scenarios[scenario]?.() ?? []);
        await api.store(HONEST.slice(2).map(honest));
        const watching = await expectServing(first);
        await first.stop();
        const second = await start();
        const took = await untilReady(second);
        const listing = await expectServing(second);
        report(
          'Hostile policies',
          scenario,
          `serves; at most ${mebibytes(watching)} resident while they are written, ${mebibytes(listing)} after a restart, which takes ${readable(took)}`,
        );
      },
      2 * PATIENCE_MILLISECONDS,
    );
  });
}
