import { Counter, Gauge } from 'prom-client';
import { BUDGETS } from '../policy/policy-budget.ts';
import type { Registry } from 'prom-client';
import type { Budget } from '../policy/policy-budget.ts';

/** The values that metrics read at scrape time. */
export interface MetricSources {
  readonly policies: () => {
    readonly loaded: number;
    readonly problems: number;
    readonly lastSync: number | undefined;
  };
  /** The use of the policy budgets, with sizes in bytes. Undefined without a cluster. */
  readonly policyBudget?: () =>
    | { readonly overBudget: Readonly<Record<Budget, number>>; readonly used: number; readonly total: number }
    | undefined;
  /** The end of each certificate, in milliseconds since the epoch: the serving certificate, the CA and the next CA. */
  readonly certificateExpiry: () => Readonly<Partial<Record<'leaf' | 'ca' | 'next', number | undefined>>>;
  /** The problem with the serving certificate or with its management. Undefined without a problem. */
  readonly certificateProblem: () => string | undefined;
  /** The steps in the life of Probewright's own certificates, with a count for each result. */
  readonly certificateRotations: () => readonly {
    readonly step: string;
    readonly result: string;
    readonly count: number;
  }[];
  /** The number of policy statuses that cannot be written while other statuses can, by reason. */
  readonly statusesSetAside: () => Readonly<Record<string, number>>;
  /** Whether each webhook configuration trusts the serving certificate. A missing configuration has no entry. */
  readonly bundlesSynced: () => ReadonlyMap<string, boolean>;
  readonly leader: () => boolean;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly build: { readonly version: string; readonly commit: string };
}

/** Registers the metrics whose values are read at scrape time. */
export function observeSources(sources: MetricSources, registers: Registry[]): void {
  observePolicies(sources, registers);
  observeCertificates(sources, registers);
  new Gauge({
    name: 'probewright_leader',
    help: 'Whether this replica leads: the leader writes statuses, the CA and the caBundle.',
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

function observePolicies(sources: MetricSources, registers: Registry[]): void {
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
      for (const budget of BUDGETS) this.set({ budget }, sources.policyBudget?.()?.overBudget[budget] ?? 0);
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
  new Gauge({
    name: 'probewright_policy_statuses_set_aside',
    help: 'Policies whose status cannot be written while other statuses can, on the leader, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(sources.statusesSetAside())) this.set({ reason }, count);
    },
  });
}

function observeCertificates(sources: MetricSources, registers: Registry[]): void {
  new Gauge({
    name: 'probewright_cert_expiry_timestamp_seconds',
    help: "Expiry of certificates, as a Unix time: the serving one (leaf), Probewright's own CA (ca), and the next CA (next).",
    labelNames: ['cert'],
    registers,
    collect() {
      this.reset();
      for (const [cert, expiry] of Object.entries(sources.certificateExpiry()))
        if (expiry !== undefined) this.set({ cert }, expiry / 1000);
    },
  });
  new Gauge({
    name: 'probewright_cert_problem',
    help: 'Whether the serving certificate, or its renewal, has a problem. /readyz names the problem.',
    registers,
    collect() {
      this.set(Number(sources.certificateProblem() !== undefined));
    },
  });
  new Counter({
    name: 'probewright_cert_rotations_total',
    help: "Steps of the rotation of Probewright's own certificates, by step and result.",
    labelNames: ['step', 'result'],
    registers,
    collect() {
      this.reset();
      for (const { step, result, count } of sources.certificateRotations()) this.inc({ step, result }, count);
    },
  });
  new Gauge({
    name: 'probewright_ca_bundle_synced',
    help: 'Whether the caBundle of a webhook configuration has the CA of the serving certificate.',
    labelNames: ['config'],
    registers,
    collect() {
      this.reset();
      for (const [config, synced] of sources.bundlesSynced()) this.set({ config }, Number(synced));
    },
  });
}
