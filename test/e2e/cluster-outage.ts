import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { policyDocument } from '../support/worlds.ts';
import { waitUntil } from './processes.ts';
import { type ReviewTarget, mutated } from './direct-review.ts';
import { pod, probePath, untilProbePath } from './pods.ts';
import { readable, report } from './scenario-figure.ts';
import type { Cluster } from './cluster.ts';
import type { Release } from './release.ts';
import type { Replica } from './replica.ts';

/** How long the API server stays away: the Lease ends meanwhile, and pauses between tries of a watch are the longest. */
const outageMilliseconds = 20_000;
const hasty = ['--lease-duration', '6s', '--lease-renew', '1500ms', '--drain-seconds', '0'];
/** How soon after the API server the replicas must see what happens there. */
const returnMilliseconds = 10_000;
/** How long the replicas alone are cut off. */
const severedMilliseconds = 5_000;

/** What a client that goes around the API server was told. */
interface Answers {
  count: number;
  readonly wrong: string[];
}

/** Replicas that cannot see the API server answer from memory, and catch up when they can. */
export function outageScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('without the API server', () => {
    let caPem: string;

    beforeAll(async () => {
      await release().restart({ args: hasty });
      await edit('/before');
      await untilProbePath(cluster(), 'apps', 'livenessProbe', '/before');
      caPem = (await release().caSecret())?.data['ca.crt'] ?? '';
    });

    afterAll(async () => {
      await cluster().apiServer.start();
      await release().endAll();
    });

    it(
      'for longer than the Lease lasts, replicas answer rightly and stay ready; then an edit counts within ten seconds',
      { timeout: 180_000 },
      async () => {
        await cluster().apiServer.stop();
        const asking = askAlong(['/before']);
        const readiness = watchReadiness();
        await sleep(outageMilliseconds);
        const ages = await Promise.all(release().replicas.map(configAge));
        await cluster().apiServer.start();
        const ready = performance.now();
        asking.alsoRight('/after');
        await edit('/after');
        for (const replica of release().replicas) await untilAnswers(replica, '/after');
        const counts = performance.now() - ready;
        // The oldest part counts, so this is when every watch is back.
        await waitUntil('nothing is older than the return', async () => {
          const later = await Promise.all(release().replicas.map(configAge));
          return Math.max(...later) * 1000 < outageMilliseconds / 2;
        });
        const back = performance.now() - ready;
        await untilProbePath(cluster(), 'apps', 'livenessProbe', '/after');
        const answers = await asking.stop();
        const unready = await readiness.stop();
        report(
          'API server away',
          `${answers.count} reviews, ${answers.wrong.length} wrong, ${unready.length} times not ready, configuration ${ages.map((age) => `${Math.round(age)} s`).join(' and ')} old; after the server's return an edit counts in ${readable(counts)} and all watches are back in ${readable(back)}`,
        );
        expect(answers.wrong).toEqual([]);
        expect(answers.count).toBeGreaterThan(outageMilliseconds / 200);
        expect(unready).toEqual([]);
        for (const age of ages) expect(age).toBeGreaterThan(outageMilliseconds / 1000 - 10);
        expect(back).toBeLessThan(returnMilliseconds);
      },
    );

    it(
      'replicas alone, they answer as before, and what was edited meanwhile counts once they see it',
      { timeout: 120_000 },
      async () => {
        for (const { link } of release().replicas) link.sever();
        await edit('/meanwhile');
        const asking = askAlong(['/after']);
        const readiness = watchReadiness();
        await sleep(severedMilliseconds);
        asking.alsoRight('/meanwhile');
        for (const { link } of release().replicas) link.mend();
        const mended = performance.now();
        for (const replica of release().replicas) await untilAnswers(replica, '/meanwhile');
        const back = performance.now() - mended;
        const answers = await asking.stop();
        const unready = await readiness.stop();
        report(
          'replicas cut off while a policy is edited',
          `${answers.count} reviews, ${answers.wrong.length} wrong, ${unready.length} times not ready, the edit counts ${readable(back)} after the cut was mended`,
        );
        expect(answers.wrong).toEqual([]);
        expect(unready).toEqual([]);
        expect(back).toBeLessThan(returnMilliseconds);
      },
    );

    function edit(path: string): Promise<void> {
      const kubernetesProbeEndpoints = { startupProbe: '/start', livenessProbe: path, readinessProbe: '/ready' };
      return cluster().apply(policyDocument({ containers: ['app'], kubernetesProbeEndpoints }, 'team'));
    }

    function target(url: string): ReviewTarget {
      return { url, serverName: release().serverName, caPem };
    }

    /** A second client: asks through the Service, around the API server, ten times a second. */
    function askAlong(right: string[]): { alsoRight: (path: string) => void; stop: () => Promise<Answers> } {
      const answers: Answers = { count: 0, wrong: [] };
      const stopping = new AbortController();
      const service = target(release().url);
      const asking = (async () => {
        while (!stopping.signal.aborted) {
          answers.count += 1;
          const told = await livenessPath(service).catch((error: unknown) => String(error));
          if (!right.includes(told)) answers.wrong.push(told);
          await sleep(100);
        }
        return answers;
      })();
      const stop = (): Promise<Answers> => {
        stopping.abort();
        return asking;
      };
      onTestFinished(() => void stop());
      return { alsoRight: (path) => right.push(path), stop };
    }

    /** Looks at every replica's /readyz twice a second, and tells when one was not ready. */
    function watchReadiness(): { stop: () => Promise<string[]> } {
      const unready: string[] = [];
      const stopping = new AbortController();
      const watching = (async () => {
        while (!stopping.signal.aborted) {
          for (const replica of release().replicas) if (!(await replica.ready())) unready.push(replica.name);
          await sleep(500);
        }
        return unready;
      })();
      const stop = (): Promise<string[]> => {
        stopping.abort();
        return watching;
      };
      onTestFinished(() => void stop());
      return { stop };
    }

    function untilAnswers(replica: Replica, path: string): Promise<unknown> {
      const direct = target(`https://127.0.0.1:${replica.port}`);
      return waitUntil(`${replica.name} answers ${path}`, async () => (await livenessPath(direct)) === path);
    }
  });
}

/** What the answer says of the liveness probe, `no probe` when nothing, and only when the other two are there as well. */
async function livenessPath(target: ReviewTarget): Promise<string> {
  const answer = await mutated(target, pod('direct', 'apps'));
  const others = [probePath(answer, 'startupProbe'), probePath(answer, 'readinessProbe')];
  if (others.join() !== '/start,/ready') return `wrong probes ${others.join()}`;
  return probePath(answer, 'livenessProbe') ?? 'no probe';
}

/** In seconds; of the oldest part of the configuration when it has several. */
async function configAge(replica: Replica): Promise<number> {
  return Math.max(...(await replica.metric('probewright_config_age_seconds')).values());
}
