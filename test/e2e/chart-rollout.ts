import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tryDeployment } from './chart-trials.ts';
import { loadFigure, startLoad } from './load.ts';
import { loadNamespace, prepareLoad } from './load-namespace.ts';
import { readable, report } from './scenario-figure.ts';
import type { ChartCluster } from './chart-cluster.ts';

/** How long calls go on before the update and after it. */
const quietMilliseconds = 3_000;

/** A change of values, which replaces the Pods. */
export function rolloutScenarios(cluster: () => ChartCluster): void {
  describe('updated', () => {
    it('fails no call and leaves no Pod unpatched, at 50 creates a second', { timeout: 180_000 }, async () => {
      await prepareLoad(cluster());
      const { kubelet } = cluster();
      const before = kubelet.ended.length;
      const load = startLoad(cluster(), { namespace: loadNamespace });
      onTestFinished(async () => {
        await load.stop();
      });
      await sleep(quietMilliseconds);
      const began = performance.now();
      const values = '--reset-then-reuse-values --set enforcement=Warn';
      await cluster().sh(`helm upgrade probewright charts/probewright --namespace probewright-system ${values}`);
      await cluster().untilRolledOut(2);
      const took = performance.now() - began;
      await sleep(quietMilliseconds);
      const result = await load.stop();
      report('rolling update under load', `${loadFigure(result)}; both replicas replaced in ${readable(took)}`);
      expect(result.failures).toEqual([]);
      expect(result.unpatched).toEqual([]);
      expect(result.calls / result.seconds).toBeGreaterThan(48);
      const ended = kubelet.ended.slice(before).filter(({ name }) => name !== 'probewright-test');
      expect(ended.map(({ code, restarts }) => [code, restarts])).toEqual([
        [0, 0],
        [0, 0],
      ]);
    });

    it('warns under Warn of what Deny refuses', async () => {
      const { status, warnings } = await tryDeployment(cluster(), 'default', 'htpp');
      expect(status).toBe(201);
      expect(warnings).toContain('container \\"app\\" declares no port named \\"htpp\\"');
    });
  });
}
