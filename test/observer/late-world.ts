import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { Counter } from 'prom-client';
import { ApiClient, type ApiRequest, type LineStream } from '../../src/cluster/client/api-client.ts';
import { KNOWN_KINDS } from '../../src/engine/workload/kinds.ts';
import { FailingWorkloads } from '../../src/observer/failing/failing-workloads.ts';
import { InForce } from '../../src/observer/missed/missed-verdicts.ts';
import { ExtraResults } from '../../src/observer/reports/report-result.ts';
import { LeadingScan } from '../../src/observer/scan/leading-scan.ts';
import { ScanStatus } from '../../src/observer/scan/scan-status.ts';
import { StandalonePods } from '../../src/observer/scan/standalone-pods.ts';
import { startFakeApiServer, type FakeApiServer, type ServedKind } from '../cluster/client/fake-api-server.ts';
import { policySet } from '../support/worlds.ts';
import { DEPLOYMENTS, deploymentsOf, OPEN_REPORTS, PODS, reportsOf } from './observed-cluster.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';
import type { ScanDependencies } from '../../src/observer/scan/verdicts.ts';

export const SHOP = deploymentsOf('shop');

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

/** The scan of an observer that leads, over an API server in memory whose answers and events may be late. */
export class LateWorld {
  readonly api: FakeApiServer;
  readonly client: LateClient;
  readonly pods = new StandalonePods();
  readonly failing = new FailingWorkloads();
  readonly extraResults = new ExtraResults();
  policies: Snapshot = policySet();
  scan: LeadingScan;

  private constructor(api: FakeApiServer) {
    this.api = api;
    this.client = new LateClient(api.access, 'test');
    this.scan = this.#newScan();
    this.extraResults.onChange((workload) => this.scan.reports.extraResultsChanged(workload));
  }

  static async start(served: readonly ServedKind[] = [DEPLOYMENTS, PODS, OPEN_REPORTS]): Promise<LateWorld> {
    const api = await startFakeApiServer();
    api.serve(served);
    return new LateWorld(api);
  }

  /** Another observer leads, and then this one again. */
  leadAgain(meanwhile: () => void): void {
    this.scan.stop();
    meanwhile();
    this.scan = this.#newScan();
    this.scan.start();
  }

  /** The names of the workloads with a record. */
  recorded(): string[] {
    return [...this.scan.verdicts.records.values()].map(({ workload }) => workload.name).toSorted();
  }

  /** The names of the reports. */
  reports(): string[] {
    return namesOf(this.api.list(reportsOf('shop')));
  }

  async stop(): Promise<void> {
    this.scan.stop();
    await this.api.stop();
  }

  #newScan(): LeadingScan {
    let ticks = 0;
    const policies = (): Snapshot => this.policies;
    const dependencies = {
      client: this.client,
      kinds: KNOWN_KINDS,
      log: pino({ level: 'silent' }),
      now: () => 1_000_000,
      // No turn has to be waited for, and no pause after a failure.
      monotonic: () => (ticks += 1000),
      random: () => -1,
      watchRenewal: 60_000,
      store: {
        get current() {
          return policies();
        },
      },
      isExempt: () => false,
      failing: this.failing,
      extraResults: this.extraResults,
      inForce: new InForce(this.client, 'probewright'),
      settings: { enforcement: 'Deny', addsProbes: true },
      reportSettings: { setting: 'auto', includeClean: false },
      scanInterval: 3_600_000,
    } as unknown as ScanDependencies;
    const writes = new Counter({ name: 'writes', help: 'writes', labelNames: ['result'], registers: [] });
    return new LeadingScan(dependencies, new ScanStatus(), this.pods, writes);
  }
}

export const namesOf = (objects: readonly { readonly metadata: { readonly name: string } }[]): string[] =>
  objects.map(({ metadata }) => metadata.name).toSorted();
