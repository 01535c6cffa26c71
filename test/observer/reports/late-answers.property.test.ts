import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { runs } from '../../support/runs.ts';
import { policyDocument, policySet } from '../../support/worlds.ts';
import { LateWorld, namesOf, SHOP } from '../late-world.ts';
import { deployment } from '../observed-cluster.ts';

const NAMES = ['one', 'two', 'three'] as const;

/** `touched`: a controller writes the status. `scanned`: a policy changes. Milliseconds until the next step. */
const step = fc.record({
  name: fc.constantFrom(...NAMES),
  change: fc.constantFrom('broken', 'mended', 'touched', 'touched', 'deleted', 'scanned'),
  pause: fc.constantFrom<number>(0, 0, 1, 3, 6, 30),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** How late one after the other reaches the observer, in milliseconds. */
const lateness = (max: number) => fc.array(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 20 });

/** Events of an earlier report that come after the next one has been written, or is gone. */
const FLAPPING = [['broken', 'mended', 'broken'] as const, ['broken', 'mended', 'broken', 'mended'] as const].flatMap(
  (changes) =>
    [25, 35, 45].map((pause): [Step[], number[], number[], number[]] => {
      const steps = changes.map((change) => ({ name: 'one' as const, change, pause }));
      return [steps, [0], [0], [40]];
    }),
);

it('each workload has the report of its last version, however late answers come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      lateness(20),
      lateness(5),
      lateness(40),
      async (steps, answers, events, reports) => {
        const world = await LateWorld.start();
        const { api, client, scan } = world;
        try {
          scan.start();
          await waitUntil('both watches are open', () => api.openWatches() === 2);
          client.lateness = { answers, events, reports };
          for (const { name, change, pause } of steps) {
            const before = api.get(SHOP, name);
            if (change === 'scanned') {
              world.policies = policySet(policyDocument({ checks: {} }, 'p', 'shop'));
              scan.policiesChanged();
            } else if (change === 'deleted' && before !== undefined) api.remove(SHOP, name);
            else if (change === 'touched' && before !== undefined)
              api.put(SHOP, { ...before, status: { observedGeneration: Number(before.metadata.resourceVersion) } });
            else if (change === 'broken' || change === 'mended')
              api.put(SHOP, deployment(name, change === 'broken' ? 'htpp' : 'http'));
            await sleep(pause);
          }
          // Events keep their order, so all earlier ones have come with this one.
          api.put(SHOP, deployment('last', 'http'));
          await waitUntil('the last event has come', () => world.recorded().includes('last'));
          const deployments = api.list(SHOP);
          const broken = deployments.filter((object) => JSON.stringify(object).includes('htpp'));
          const wanted = {
            reports: broken.map(({ metadata }) => `probewright-${metadata.uid ?? ''}`).toSorted(),
            records: namesOf(deployments),
          };
          const there = (): typeof wanted => ({ reports: world.reports(), records: world.recorded() });
          const isRight = (): boolean => isDeepStrictEqual(there(), wanted);
          const isQuiet = (): boolean => client.underWay === 0 && scan.reports.waiting === 0;
          await waitUntil('all is right', () => isQuiet() && isRight(), 10_000).catch(() => undefined);
          expect(there()).toEqual(wanted);
        } finally {
          await world.stop();
        }
      },
    ),
    { numRuns: runs(300), examples: FLAPPING },
  );
});
