import { Gauge, type Registry } from 'prom-client';
import { POLICY_BUDGETS, type PolicyBudget } from '../engine/policy/budget.ts';

export interface ProcessSources {
  readonly policies: () => {
    readonly loaded: number;
    readonly problems: number;
    readonly lastSync: number | undefined;
  };
  readonly policyBudget?: () =>
    | { readonly overBudget: Readonly<Record<PolicyBudget, number>>; readonly used: number; readonly total: number }
    | undefined;
  readonly factBudgets?: () =>
    | readonly { readonly kind: string; readonly leftOut: Readonly<Record<string, number>>; readonly used: number }[]
    | undefined;
  readonly leader: () => boolean;
  readonly now: () => number;
  readonly build: { readonly version: string; readonly commit: string };
}

/** @param leaderWrites what the leader writes, for the help text */
export function observeProcess(sources: ProcessSources, leaderWrites: string, registers: Registry[]): void {
  const gauge = (name: string, help: string, labelNames: string[], samples: () => readonly Sample[]): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [value, labels = {}] of samples()) this.set(labels, value);
      },
    });
  };
  observePolicies(sources, gauge);
  observeFacts(sources, gauge);
  gauge('probewright_leader', `Whether this replica leads: the leader writes ${leaderWrites}.`, [], () => [
    [Number(sources.leader())],
  ]);
  const build = { ...sources.build, node_version: process.versions.node };
  gauge('probewright_build_info', 'Always 1. The labels name the running version.', Object.keys(build), () => [
    [1, build],
  ]);
}

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];
type AddGauge = (name: string, help: string, labelNames: string[], samples: () => readonly Sample[]) => void;

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
  gauge('probewright_config_age_seconds', 'Seconds since the source of the policies last answered.', [], () => {
    const { lastSync } = policies();
    return [[lastSync === undefined ? NaN : (now() - lastSync) / 1000]];
  });
  gauge(
    'probewright_policies_over_budget',
    'Policies whose newest version is not in force because a budget is exhausted, by budget.',
    ['budget'],
    () => POLICY_BUDGETS.map((budget) => [policyBudget?.()?.overBudget[budget] ?? 0, { budget }]),
  );
  gauge(
    'probewright_policy_budget_used_bytes',
    'Estimated memory of all ProbePolicies in force, which counts against the budget of all namespaces.',
    [],
    () => [[policyBudget?.()?.used ?? 0]],
  );
  gauge('probewright_policy_budget_bytes', 'The budget of memory for the ProbePolicies of all namespaces.', [], () => [
    [policyBudget?.()?.total ?? 0],
  ]);
}

function observeFacts({ factBudgets }: ProcessSources, gauge: AddGauge): void {
  gauge(
    'probewright_facts_left_out',
    'Exceptions, Services and StartupProfiles without effect: over a budget (reason), or invalid.',
    ['kind', 'reason'],
    () =>
      (factBudgets?.() ?? []).flatMap(({ kind, leftOut }) =>
        Object.entries(leftOut).map(([reason, count]) => [count, { kind, reason }] as const),
      ),
  );
  gauge(
    'probewright_fact_budget_used_bytes',
    'Estimated memory of exceptions, Services and StartupProfiles, which counts against the budget of each kind.',
    ['kind'],
    () => (factBudgets?.() ?? []).map(({ kind, used }) => [used, { kind }]),
  );
}
