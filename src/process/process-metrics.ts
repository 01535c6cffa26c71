import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Counter, Gauge, type Registry } from 'prom-client';
import { VERSION } from '../base/version.ts';
import { POLICY_BUDGETS } from '../engine/policy/budget.ts';
import type { FactBudgetStatus, PolicyBudgetStatus } from '../cluster/sources/kubernetes-source.ts';

/** The build of the production bundle fills it in. */
const COMMIT = process.env['PROBEWRIGHT_BUILD_COMMIT'] ?? 'unknown';

/** The values that the metrics of every long-running process read at scrape time. */
export interface ProcessSources {
  readonly policies: () => {
    readonly loaded: number;
    readonly problems: number;
    readonly lastSync: number | undefined;
  };
  readonly policyBudget?: () => PolicyBudgetStatus;
  readonly factBudgets?: () => readonly Pick<FactBudgetStatus, 'kind' | 'leftOut' | 'used'>[];
  readonly leader: () => boolean;
  readonly now: () => number;
  readonly build?: { readonly version: string; readonly commit: string };
}

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];
type AddGauge = (name: string, help: string, labelNames: string[], samples: () => readonly Sample[]) => void;

/** Registers gauges whose samples are made at scrape time. */
export function gaugesIn(registers: Registry[]): AddGauge {
  return (name, help, labelNames, samples) => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const [value, labels = {}] of samples()) this.set(labels, value);
      },
    });
  };
}

/** Milliseconds: the longest pause that Node accepts. */
const NEVER = 2 ** 31 - 1;

/** The lag that prom-client samples. A sampler that never wakes up the process has no samples. */
const SAMPLED_LAG = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (figure) => `nodejs_eventloop_lag_${figure}_seconds`,
);

/**
 * Registers the metrics of Node. prom-client samples the lag of the event loop 100 times a second, which costs 0.6 % of
 * a core. How long the event loop is busy shows an overload as well, and costs nothing.
 */
export function observeNode(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER });
  for (const name of SAMPLED_LAG) registry.removeSingleMetric(name);
  new Counter({
    name: 'probewright_event_loop_busy_seconds_total',
    help: 'Seconds in which the event loop worked and did not wait. At 1 a second, requests queue.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization().active / 1000);
    },
  });
}

/** @param leaderWrites what the leader writes, for the help text */
export function observeProcess(sources: ProcessSources, leaderWrites: string, registers: Registry[]): void {
  const gauge = gaugesIn(registers);
  observePolicies(sources, gauge);
  observeFacts(sources, gauge);
  gauge('probewright_leader', `Whether this replica leads: the leader writes ${leaderWrites}.`, [], () => [
    [Number(sources.leader())],
  ]);
  const { version, commit } = sources.build ?? { version: VERSION, commit: COMMIT };
  const build = { version, commit, node_version: process.versions.node };
  gauge('probewright_build_info', 'Always 1. The labels name the running version.', Object.keys(build), () => [
    [1, build],
  ]);
}

function observePolicies({ policies, policyBudget, now }: ProcessSources, gauge: AddGauge): void {
  gauge(
    'probewright_config_objects',
    'Policies in force (loaded), and problems in the newest state of their source (problem).',
    ['kind', 'status'],
    () => {
      const { loaded, problems } = policies();
      return [
        [loaded, { kind: 'policy', status: 'loaded' }],
        [problems, { kind: 'policy', status: 'problem' }],
      ];
    },
  );
  gauge(
    'probewright_config_last_sync_timestamp_seconds',
    'The last time at which the policies in force were known to be the newest, as a Unix time.',
    [],
    () => {
      const { lastSync } = policies();
      return lastSync === undefined ? [] : [[lastSync / 1000]];
    },
  );
  gauge(
    'probewright_config_age_seconds',
    'Seconds since the source of the policies last answered. Up to about 360 is normal.',
    [],
    () => {
      const { lastSync } = policies();
      return [[lastSync === undefined ? NaN : (now() - lastSync) / 1000]];
    },
  );
  gauge(
    'probewright_policies_over_budget',
    'Policies whose newest version is not in force because a budget is exhausted: spec, policies, bytes or total.',
    ['budget'],
    () => POLICY_BUDGETS.map((budget) => [policyBudget?.().overBudget[budget] ?? 0, { budget }]),
  );
  gauge(
    'probewright_policy_budget_used_bytes',
    'Bytes of all ProbePolicies in force as JSON, which count against the budget of all namespaces.',
    [],
    () => [[policyBudget?.().used ?? 0]],
  );
  gauge(
    'probewright_policy_budget_bytes',
    'The bytes that the ProbePolicies of all namespaces may have as JSON.',
    [],
    () => [[policyBudget?.().total ?? 0]],
  );
}

function observeFacts({ factBudgets }: ProcessSources, gauge: AddGauge): void {
  gauge(
    'probewright_facts_left_out',
    'Exceptions, Services and StartupProfiles without effect: invalid, or over the budget object, objects, bytes or total.',
    ['kind', 'reason'],
    () =>
      (factBudgets?.() ?? []).flatMap(({ kind, leftOut }) =>
        Object.entries(leftOut).map(([reason, count]) => [count, { kind, reason }] as const),
      ),
  );
  gauge(
    'probewright_fact_budget_used_bytes',
    'Bytes of exceptions, Services and StartupProfiles as JSON, which count against the budget of each kind.',
    ['kind'],
    () => (factBudgets?.() ?? []).map(({ kind, used }) => [used, { kind }]),
  );
}
