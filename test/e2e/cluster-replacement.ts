import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster } from './cluster.ts';
import { loadFigure, startLoad } from './load.ts';
import { type Release } from './release.ts';
import { report } from './scenario-figure.ts';
import { loadNamespace, prepareLoad } from './load-namespace.ts';

/** How long calls go on before each replacement, and after the last. */
const quietMilliseconds = 3_000;

/** A rolling update, as a Deployment with maxSurge 1 and maxUnavailable 0 does it. */
export function replacementScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('replicas that are replaced', () => {
    beforeAll(async () => {
      await release().restart();
      await prepareLoad(cluster());
    });

    afterAll(() => release().endAll());

    it('fail no call and leave no Pod unpatched, at 50 creates a second', { timeout: 180_000 }, async () => {
      const load = startLoad(cluster(), { namespace: loadNamespace });
      onTestFinished(async () => {
        await load.stop();
      });
      const codes: (number | null)[] = [];
      for (const old of [...release().replicas]) {
        await sleep(quietMilliseconds);
        await release().start(1);
        codes.push(await release().end(old, 'SIGTERM'));
      }
      await sleep(quietMilliseconds);
      const result = await load.stop();
      report('both replicas replaced under load', loadFigure(result));
      expect(codes).toEqual([0, 0]);
      expect(result.failures).toEqual([]);
      expect(result.unpatched).toEqual([]);
      expect(result.calls / result.seconds).toBeGreaterThan(48);
    });
  });
}
