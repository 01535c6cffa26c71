import { Gauge, type Registry } from 'prom-client';
import { POLICY_BUDGETS, type PolicyBudget } from '../engine/policy/budget.ts';

/** The values that the metrics of every long-running process read at scrape time. */
export interface ProcessSources {
  readonly policies: () => {
    readonly loaded: number;
    readonly problems: number;
    readonly lastSync: number | undefined;
  };
  /** The use of the policy budgets, with sizes in bytes. Undefined without a cluster. */
  readonly policyBudget?: () =>
    | { readonly overBudget: Readonly<Record<PolicyBudget, number>>; readonly used: number; readonly total: number }
    | undefined;
  /** How the budgets of facts are used, by kind. Undefined without a cluster. */
  readonly factBudgets?: () =>
    | readonly { readonly kind: string; readonly leftOut: Readonly<Record<string, number>>; readonly used: number }[]
    | undefined;
  readonly leader: () => boolean;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly build: { readonly version: string; readonly commit: string };
}

/**
 * Registers the metrics of every long-running process: policies in force, leadership and build.
 *
 * @param leaderWrites what the leader writes, for the help text
 */
export function observeProcess(sources: ProcessSources, leaderWrites: string, registers: Registry[]): void {
  observePolicies(sources, registers);
  observeFacts(sources, registers);
  new Gauge({
    name: 'probewright_leader',
    help: `Whether this replica leads: the leader writes ${leaderWrites}.`,
    registers,
    collect() {
      this.set(Number(sources.leader()));
    },
  });
  new Gauge({
    name: 'probewright_build_info',
    help: 'Always 1. The labels name the running version.',
    labelNames: ['version', 'commit', 'node_version'],
    registers,
  }).set({ ...sources.build, node_version: process.versions.node }, 1);
}

function observePolicies(sources: ProcessSources, registers: Registry[]): void {
  new Gauge({
    name: 'probewright_config_objects',
    help: 'Policies in force (loaded), and problems in the newest state of their source (problem).',
    labelNames: ['kind', 'status'],
    registers,
    collect() {
      const { loaded, problems } = sources.policies();
      this.set({ kind: 'policy', status: 'loaded' }, loaded);
      this.set({ kind: 'policy', status: 'problem' }, problems);
    },
  });
  new Gauge({
    name: 'probewright_config_last_sync_timestamp_seconds',
    help: 'The last time at which the policies in force were known to be the newest, as a Unix time.',
    registers,
    collect() {
      const { lastSync } = sources.policies();
      if (lastSync !== undefined) this.set(lastSync / 1000);
    },
  });
  new Gauge({
    name: 'probewright_config_age_seconds',
    help: 'Seconds since the source of the policies last answered.',
    registers,
    collect() {
      const { lastSync } = sources.policies();
      this.set(lastSync === undefined ? NaN : (sources.now() - lastSync) / 1000);
    },
  });
  new Gauge({
    name: 'probewright_policies_over_budget',
    help: 'Policies whose newest version is not in force because a budget is exhausted, by budget.',
    labelNames: ['budget'],
    registers,
    collect() {
      for (const budget of POLICY_BUDGETS) this.set({ budget }, sources.policyBudget?.()?.overBudget[budget] ?? 0);
    },
  });
  new Gauge({
    name: 'probewright_policy_budget_used_bytes',
    help: 'Estimated memory of all ProbePolicies in force, which counts against the budget of all namespaces.',
    registers,
    collect() {
      this.set(sources.policyBudget?.()?.used ?? 0);
    },
  });
  new Gauge({
    name: 'probewright_policy_budget_bytes',
    help: 'The budget of memory for the ProbePolicies of all namespaces.',
    registers,
    collect() {
      this.set(sources.policyBudget?.()?.total ?? 0);
    },
  });
}

function observeFacts(sources: ProcessSources, registers: Registry[]): void {
  new Gauge({
    name: 'probewright_facts_left_out',
    help: 'Exceptions, Services and StartupProfiles without effect: over a budget (reason), or invalid.',
    labelNames: ['kind', 'reason'],
    registers,
    collect() {
      for (const { kind, leftOut } of sources.factBudgets?.() ?? [])
        for (const [reason, count] of Object.entries(leftOut)) this.set({ kind, reason }, count);
    },
  });
  new Gauge({
    name: 'probewright_fact_budget_used_bytes',
    help: 'Estimated memory of exceptions, Services and StartupProfiles, which counts against the budget of each kind.',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const { kind, used } of sources.factBudgets?.() ?? []) this.set({ kind }, used);
    },
  });
}
