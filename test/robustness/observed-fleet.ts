import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts, startProcess, type StartedProcess } from '../e2e/processes.ts';
import { kubeconfigOf, startFakeApiServer } from '../cluster/client/fake-api-server.ts';
import { without } from '../cluster/client/fake-store.ts';
import { deployment, deploymentsOf, DEPLOYMENTS, OPEN_REPORTS, PODS, reportsOf } from '../observer/observed-cluster.ts';
import { askHealth } from './client.ts';
import type { FakeApiServer, FakeObject, Fault, SeenRequest } from '../cluster/client/fake-api-server.ts';

/** Three pages of workloads without a finding. */
const FINE_WORKLOADS = 1100;

/** A write of a report that the API server accepted: `POST step-1/wrong`. */
export type ReportWrite = string;

/** An API server in memory with a fleet of workloads, and the program as a process of its own that observes the fleet. */
export class ObservedFleet {
  readonly api: FakeApiServer;
  readonly #directory: string;
  readonly #observer: StartedProcess;
  readonly #healthPort: number;
  /** The workload of each report, by the name of the report. */
  readonly #workloads: Map<string, string>;
  /** Requests that a fault has answered. */
  readonly #refused = new Set<SeenRequest>();

  private constructor(
    api: FakeApiServer,
    running: { readonly directory: string; readonly observer: StartedProcess; readonly healthPort: number },
    workloads: Map<string, string>,
  ) {
    this.api = api;
    this.#directory = running.directory;
    this.#observer = running.observer;
    this.#healthPort = running.healthPort;
    this.#workloads = workloads;
  }

  /**
   * Starts both.
   *
   * @param program path of the program
   * @param steps for each step there is a namespace `step-N` with workloads to change
   */
  static async start(program: string, steps: number): Promise<ObservedFleet> {
    const api = await startFakeApiServer();
    const directory = await mkdtemp(join(tmpdir(), 'probewright-robustness-'));
    await writeFile(join(directory, 'config'), kubeconfigOf(api.access.server, 'probewright'));
    api.serve([DEPLOYMENTS, PODS, OPEN_REPORTS]);
    const workloads = new Map<string, string>();
    for (let index = 0; index < FINE_WORKLOADS; index++)
      api.put(deploymentsOf('fleet'), deployment(`fine-${index}`, 'http'));
    const [healthPort] = await freePorts(1);
    const args = [program, 'observe', '--kubeconfig', join(directory, 'config'), '--host', '127.0.0.1'];
    // Frequent watches, so that a fault that refuses them is met several times.
    const more = ['--health-port', String(healthPort), '--watch-renewal', '2s'];
    const observer = startProcess('observer', process.execPath, [...args, ...more], { env: {}, cwd: directory });
    const fleet = new ObservedFleet(api, { directory, observer, healthPort }, workloads);
    for (let step = 0; step < steps; step++) {
      for (const name of ['mended', 'deleted']) fleet.putWorkload(`step-${step}`, name, 'htpp');
      fleet.putWorkload(`governed-${step}`, 'app', 'htpp');
    }
    return fleet;
  }

  putWorkload(namespace: string, name: string, port: string): void {
    const { metadata } = this.api.put(deploymentsOf(namespace), deployment(name, port));
    this.#workloads.set(`probewright-${metadata.uid ?? ''}`, `${namespace}/${name}`);
  }

  /** Four changes that each need one write of a report: a new one, one without findings, one deleted, another action. */
  change(step: number): void {
    const namespace = `step-${step}`;
    this.putWorkload(namespace, 'wrong', 'htpp');
    this.putWorkload(namespace, 'mended', 'http');
    this.api.remove(deploymentsOf(namespace), 'deleted');
    // In a namespace of its own: the order in which an observer learns of policies and workloads is not fixed.
    this.api.put(`/apis/probewright.dev/v1alpha1/namespaces/governed-${step}/probepolicies`, {
      metadata: { name: 'lax' },
      spec: { checks: { 'named-port': { action: 'Warn' } } },
    });
  }

  /** Answers some requests with a fault; undefined ends it. */
  fault(answer: ((request: SeenRequest) => Fault | undefined) | undefined): void {
    this.api.intercept(
      answer &&
        ((request) => {
          const fault = answer(request);
          if (fault !== undefined && !(typeof fault === 'object' && 'delay' in fault)) this.#refused.add(request);
          return fault;
        }),
    );
  }

  /** What the reports say, by workload, without what differs from run to run. */
  reports(): Record<string, unknown> {
    const reports = [...new Set([...this.#workloads.values()].map((name) => name.split('/')[0] ?? ''))].flatMap(
      (namespace) => [...this.api.list(reportsOf(namespace))],
    );
    return Object.fromEntries(
      reports
        .map((report): [string, unknown] => [this.#nameOf(report.metadata.name), contentOf(report)])
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    );
  }

  /** Writes of reports since a request, as accepted. */
  writesSince(request: number): readonly ReportWrite[] {
    return this.api.requests
      .slice(request)
      .filter((one) => one.method !== 'GET' && /\/reports(\/|$)/.test(one.path) && !this.#refused.has(one))
      .map(({ method, path, body }) => {
        const name = (body as FakeObject | undefined)?.metadata.name ?? path.split('/').at(-1) ?? '';
        return `${method} ${this.#nameOf(name)}`;
      })
      .toSorted();
  }

  /** How often each collection was listed since a request, by path and field selector: first pages. */
  listsSince(request: number): Readonly<Record<string, number>> {
    const lists = this.api.requests
      .slice(request)
      .filter(
        ({ method, query }) => method === 'GET' && query['limit'] !== undefined && query['continue'] === undefined,
      );
    const byList = Map.groupBy(lists, ({ path, query }) => `${path} ${query['fieldSelector'] ?? ''}`.trimEnd());
    return Object.fromEntries([...byList].map(([list, requests]) => [list, requests.length]));
  }

  async isReady(): Promise<boolean> {
    return (await askHealth(this.#healthPort, '/readyz').catch(() => ({ code: 0 }))).code === 200;
  }

  /** The log lines of a level, for example 50 for errors. */
  logged(level: number): readonly string[] {
    return this.#observer
      .output()
      .split('\n')
      .filter((line) => line.includes(`"level":${level}`));
  }

  output(): string {
    return this.#observer.output();
  }

  async stop(): Promise<void> {
    await this.#observer.stop();
    await this.api.stop();
    await rm(this.#directory, { recursive: true });
  }

  #nameOf(report: string): string {
    return this.#workloads.get(report) ?? `unknown ${report}`;
  }
}

function contentOf(report: FakeObject): unknown {
  const { summary, results } = report as FakeObject & { summary: unknown; results: readonly object[] };
  return { summary, results: results.map((result) => without(result, 'timestamp')) };
}
