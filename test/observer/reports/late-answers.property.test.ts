import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { pino } from 'pino';
import { Counter } from 'prom-client';
import { expect, it } from 'vitest';
import { ApiClient, type ApiRequest, type LineStream } from '../../../src/cluster/client/api-client.ts';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { FailingWorkloads } from '../../../src/observer/failing/failing-workloads.ts';
import { InForce } from '../../../src/observer/missed/missed-verdicts.ts';
import { ExtraResults } from '../../../src/observer/reports/report-result.ts';
import { LeadingScan } from '../../../src/observer/scan/leading-scan.ts';
import { ScanStatus } from '../../../src/observer/scan/scan-status.ts';
import { StandalonePods } from '../../../src/observer/scan/standalone-pods.ts';
import { startFakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';
import { runs } from '../../support/runs.ts';
import { policySet } from '../../support/worlds.ts';
import { deployment, deploymentsOf, DEPLOYMENTS, OPEN_REPORTS, PODS, reportsOf } from '../observed-cluster.ts';
import type { ScanDependencies } from '../../../src/observer/scan/verdicts.ts';

const NAMES = ['one', 'two', 'three'] as const;
const SHOP = deploymentsOf('shop');

/** `touched`: a controller writes the status. Milliseconds until the next step. */
const step = fc.record({
  name: fc.constantFrom(...NAMES),
  change: fc.constantFrom('broken', 'mended', 'touched', 'touched', 'deleted'),
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

const namesOf = (objects: readonly { readonly metadata: { readonly name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name).toSorted();

type Late = 'answers' | 'events' | 'reports';

/** Answers, events, and events of reports come late. Events of one watch keep their order. */
class LateClient extends ApiClient {
  lateness: Readonly<Record<Late, readonly number[]>> = { answers: [0], events: [0], reports: [0] };
  underWay = 0;
  readonly #counts: Record<Late, number> = { answers: 0, events: 0, reports: 0 };

  override async measured(request: ApiRequest): ReturnType<ApiClient['measured']> {
    this.underWay += 1;
    try {
      const answer = await super.measured(request);
      await this.#wait('answers');
      return answer;
    } finally {
      this.underWay -= 1;
    }
  }

  override async lines(request: ApiRequest, stream: LineStream): Promise<void> {
    let earlier = Promise.resolve();
    const what = request.path.endsWith('/reports') ? 'reports' : 'events';
    const line = (text: string): void => {
      earlier = earlier.then(() => this.#wait(what)).then(() => stream.line(text));
    };
    await super.lines(request, { ...stream, line });
    await earlier;
  }

  async #wait(what: Late): Promise<void> {
    const all = this.lateness[what];
    const milliseconds = all[this.#counts[what]++ % all.length] ?? 0;
    if (milliseconds > 0) await sleep(milliseconds);
  }
}

it('each workload has the report of its last version, however late answers come', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 25 }),
      lateness(20),
      lateness(5),
      lateness(40),
      async (steps, answers, events, reports) => {
        const api = await startFakeApiServer();
        api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS]);
        const client = new LateClient(api.access, 'test');
        let ticks = 0;
        const dependencies = {
          client,
          kinds: KNOWN_KINDS,
          log: pino({ level: 'silent' }),
          now: () => 1_000_000,
          // No turn has to be waited for, and no pause after a failure.
          monotonic: () => (ticks += 1000),
          random: () => -1,
          watchRenewal: 60_000,
          store: { current: policySet() },
          isExempt: () => false,
          failing: new FailingWorkloads(),
          extraResults: new ExtraResults(),
          inForce: new InForce(client, 'probewright'),
          settings: { enforcement: 'Deny', addsProbes: true },
          reportSettings: { setting: 'auto', includeClean: false },
          scanInterval: 3_600_000,
        } as unknown as ScanDependencies;
        const writes = new Counter({ name: 'writes', help: 'writes', labelNames: ['result'], registers: [] });
        const scan = new LeadingScan(dependencies, new ScanStatus(), new StandalonePods(), writes);
        const recorded = (): string[] =>
          [...scan.verdicts.records.values()].map(({ workload }) => workload.name).toSorted();
        try {
          scan.start();
          await waitUntil('both watches are open', () => api.openWatches() === 2);
          client.lateness = { answers, events, reports };
          for (const { name, change, pause } of steps) {
            const before = api.get(SHOP, name);
            if (change === 'deleted' && before !== undefined) api.remove(SHOP, name);
            else if (change === 'touched' && before !== undefined)
              api.put(SHOP, { ...before, status: { observedGeneration: Number(before.metadata.resourceVersion) } });
            else if (change === 'broken' || change === 'mended')
              api.put(SHOP, deployment(name, change === 'broken' ? 'htpp' : 'http'));
            await sleep(pause);
          }
          // Events keep their order, so all earlier ones have come with this one.
          api.put(SHOP, deployment('last', 'http'));
          await waitUntil('the last event has come', () => recorded().includes('last'));
          const deployments = api.list(SHOP);
          const broken = deployments.filter((object) => JSON.stringify(object).includes('htpp'));
          const wanted = {
            reports: broken.map(({ metadata }) => `probewright-${metadata.uid ?? ''}`).toSorted(),
            records: namesOf(deployments),
          };
          const there = (): typeof wanted => ({ reports: namesOf(api.list(reportsOf('shop'))), records: recorded() });
          const isRight = (): boolean => isDeepStrictEqual(there(), wanted);
          const isQuiet = (): boolean => client.underWay === 0 && scan.reports.waiting === 0;
          await waitUntil('all is right', () => isQuiet() && isRight(), 3_000).catch(() => undefined);
          expect(there()).toEqual(wanted);
        } finally {
          scan.stop();
          await api.stop();
        }
      },
    ),
    { numRuns: runs(300), examples: FLAPPING },
  );
});
