import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { REASON_CODES } from '../defaulting/reason.ts';
import { CHECK_CATALOGUE } from '../policy/check-catalogue.ts';
import { BUDGETS } from '../policy/policy-budget.ts';
import { PROBE_KINDS } from '../probes/probe.ts';
import { BUILT_IN_KINDS } from '../workload/kinds.ts';
import { MISSED_NAMESPACES } from '../missed-namespace.ts';
import type { Decision } from '../admission/decision.ts';
import type { Budget } from '../policy/policy-budget.ts';
import type { AdmissionRequest } from '../admission/review.ts';
import type { MissedNamespace } from '../missed-namespace.ts';

export const WEBHOOKS = ['mutate', 'validate'] as const;
export type Webhook = (typeof WEBHOOKS)[number];

/** The ports that Probewright listens on. */
export const PORTS = ['webhook', 'health'] as const;
export type Port = (typeof PORTS)[number];

/** What a client waits for when its address uses more than its share. */
export const DELAYS = ['reading', 'body', 'handshake'] as const;
export type Delay = (typeof DELAYS)[number];

/** Where an injected probe came from, as metrics tell it: a policy's name would be an unbounded label. */
const RULES = ['policy', 'annotation', 'safety'] as const;

/** Operations and kinds that get a label of their own; anything else is `other`, so that callers cannot grow the series. */
const OPERATIONS = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
const KINDS = new Set(BUILT_IN_KINDS.map(({ kind }) => kind));

/** What is known at scrape time and not counted along the way. */
export interface MetricSources {
  readonly policies: () => {
    readonly loaded: number;
    readonly problems: number;
    readonly lastSync: number | undefined;
  };
  /** How the budgets of policies are used; undefined without a cluster. Sizes in bytes. */
  readonly policyBudget?: () =>
    | { readonly overBudget: Readonly<Record<Budget, number>>; readonly used: number; readonly total: number }
    | undefined;
  /** When certificates end, in milliseconds since the epoch: the serving one, the CA's, the next CA's. */
  readonly certificateExpiry: () => Readonly<Partial<Record<'leaf' | 'ca' | 'next', number | undefined>>>;
  /** What is wrong with the certificate that is served, or with looking after it; undefined when nothing is. */
  readonly certificateProblem: () => string | undefined;
  /** What was done about Probewright's own certificates, and how often. */
  readonly certificateRotations: () => readonly {
    readonly step: string;
    readonly result: string;
    readonly count: number;
  }[];
  /** How many statuses of policies are not as they should be although others can be written, by why. */
  readonly statusesSetAside: () => Readonly<Record<string, number>>;
  /** Whether each webhook configuration trusts what is served; one that does not exist is left out. */
  readonly bundlesSynced: () => ReadonlyMap<string, boolean>;
  readonly leader: () => boolean;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly build: { readonly version: string; readonly commit: string };
}

/** Everything that Probewright counts, in a registry of its own. Durations in seconds. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Counter;
  readonly #duration: Histogram;
  readonly #inFlight: Gauge;
  readonly #patches: Counter;
  readonly #notInjected: Counter;
  readonly #findings: Counter;
  readonly #deadline: Counter;
  readonly #waitSkipped: Counter;
  readonly #dropped: Counter;
  readonly #delays: Counter;

  constructor(sources: MetricSources) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Counter({
      name: 'probewright_admission_requests_total',
      help: 'Admission requests answered, by what was decided.',
      labelNames: ['webhook', 'operation', 'kind', 'result', 'dry_run'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'probewright_admission_duration_seconds',
      help: 'Time from the first byte of an admission request to the end of its answer.',
      labelNames: ['webhook'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
    });
    this.#inFlight = new Gauge({
      name: 'probewright_admission_in_flight',
      help: 'Admission requests being answered now.',
      registers,
    });
    this.#patches = new Counter({
      name: 'probewright_patch_operations_total',
      help: 'Probes injected, or that would have been under mutation Audit, by probe and by where they came from.',
      labelNames: ['rule', 'probe'],
      registers,
    });
    this.#notInjected = new Counter({
      name: 'probewright_not_injected_total',
      help: 'Missing probes that were not injected although a policy speaks for their container, by reason.',
      labelNames: ['reason'],
      registers,
    });
    this.#findings = new Counter({
      name: 'probewright_findings_total',
      help: 'Violations of checks, by what they led to.',
      labelNames: ['rule', 'action'],
      registers,
    });
    this.#deadline = new Counter({
      name: 'probewright_deadline_exceeded_total',
      help: "Admission requests given up because most of the API server's own timeout had passed.",
      labelNames: ['webhook'],
      registers,
    });
    this.#waitSkipped = new Counter({
      name: 'probewright_namespace_waits_skipped_total',
      help: 'Admission requests from new namespaces decided without their labels, by why these were missing.',
      labelNames: ['webhook', 'reason'],
      registers,
    });
    this.#dropped = new Counter({
      name: 'probewright_connections_dropped_total',
      help: 'Connections closed because a port had as many open, or as much to hold for clients, as it may have.',
      labelNames: ['port'],
      registers,
    });
    this.#delays = new Counter({
      name: 'probewright_client_delays_total',
      help: 'Times that clients of one address had to wait because they used more than their share, by what waited.',
      labelNames: ['what'],
      registers,
    });
    this.#zero();
    observeSources(sources, registers);
  }

  /** Series exist from the start, so that rate() sees the first increase. */
  #zero(): void {
    for (const webhook of WEBHOOKS) {
      this.#deadline.inc({ webhook }, 0);
      for (const reason of MISSED_NAMESPACES) this.#waitSkipped.inc({ webhook, reason }, 0);
      this.#duration.zero({ webhook });
      for (const result of ['allow', 'error'])
        this.#requests.inc({ webhook, operation: 'CREATE', kind: 'Pod', result, dry_run: 'false' }, 0);
    }
    for (const port of PORTS) this.#dropped.inc({ port }, 0);
    for (const what of DELAYS) this.#delays.inc({ what }, 0);
    for (const rule of RULES) for (const probe of PROBE_KINDS) this.#patches.inc({ rule, probe }, 0);
    for (const reason of REASON_CODES) this.#notInjected.inc({ reason }, 0);
    for (const [rule, { action }] of Object.entries(CHECK_CATALOGUE))
      if (action !== 'Off') this.#findings.inc({ rule, action }, 0);
  }

  started(): void {
    this.#inFlight.inc();
  }

  finished(webhook: Webhook, seconds: number): void {
    this.#inFlight.dec();
    this.#duration.observe({ webhook }, seconds);
  }

  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision): void {
    this.#count(webhook, request, decision.result);
    for (const { kind, source } of decision.defaulting?.injections ?? []) {
      this.#patches.inc({ rule: source === 'annotation' || source === 'safety' ? source : 'policy', probe: kind });
    }
    for (const { check, action } of decision.violations ?? []) this.#findings.inc({ rule: check, action });
    for (const { code } of decision.defaulting?.notInjected ?? []) this.#notInjected.inc({ reason: code });
  }

  /** A request that got no decision: undecodable, too late, or an error of ours. */
  failed(webhook: Webhook, request: AdmissionRequest | undefined): void {
    this.#count(webhook, request, 'error');
  }

  deadlineExceeded(webhook: Webhook): void {
    this.#deadline.inc({ webhook });
  }

  waitSkipped(webhook: Webhook, reason: MissedNamespace): void {
    this.#waitSkipped.inc({ webhook, reason });
  }

  connectionDropped(port: Port): void {
    this.#dropped.inc({ port });
  }

  delayed(what: Delay): void {
    this.#delays.inc({ what });
  }

  #count(webhook: Webhook, request: AdmissionRequest | undefined, result: string): void {
    this.#requests.inc({
      webhook,
      operation: request && OPERATIONS.has(request.operation) ? request.operation : 'other',
      kind: request && KINDS.has(request.kind.kind) ? request.kind.kind : 'other',
      result,
      dry_run: String(request?.dryRun ?? false),
    });
  }
}

function observeSources(sources: MetricSources, registers: Registry[]): void {
  new Gauge({
    name: 'probewright_config_objects',
    help: 'Policies: in force (loaded), and problems in the newest state of their source (problem).',
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
    help: 'When the policies in force were last known to be the newest.',
    registers,
    collect() {
      const { lastSync } = sources.policies();
      if (lastSync !== undefined) this.set(lastSync / 1000);
    },
  });
  new Gauge({
    name: 'probewright_config_age_seconds',
    help: 'How old the memory is that requests are answered from: time since its source was last heard of.',
    registers,
    collect() {
      const { lastSync } = sources.policies();
      this.set(lastSync === undefined ? NaN : (sources.now() - lastSync) / 1000);
    },
  });
  new Gauge({
    name: 'probewright_policies_over_budget',
    help: 'Policies whose newest version is not in force, by the budget that has no room for it.',
    labelNames: ['budget'],
    registers,
    collect() {
      for (const budget of BUDGETS) this.set({ budget }, sources.policyBudget?.()?.overBudget[budget] ?? 0);
    },
  });
  new Gauge({
    name: 'probewright_policy_budget_used_bytes',
    help: 'Memory that the ProbePolicies in force take of the budget of all namespaces together, as it is estimated.',
    registers,
    collect() {
      this.set(sources.policyBudget?.()?.used ?? 0);
    },
  });
  new Gauge({
    name: 'probewright_policy_budget_bytes',
    help: 'Memory that the ProbePolicies of all namespaces may take together.',
    registers,
    collect() {
      this.set(sources.policyBudget?.()?.total ?? 0);
    },
  });
  new Gauge({
    name: 'probewright_cert_expiry_timestamp_seconds',
    help: "When certificates end: the serving one (leaf), and of Probewright's own the CA (ca) and the one to come (next).",
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
    help: 'Whether something is wrong with the serving certificate, or with looking after it; /readyz says what.',
    registers,
    collect() {
      this.set(Number(sources.certificateProblem() !== undefined));
    },
  });
  new Counter({
    name: 'probewright_cert_rotations_total',
    help: "Steps in the life of Probewright's own certificates, by step and by how they went.",
    labelNames: ['step', 'result'],
    registers,
    collect() {
      this.reset();
      for (const { step, result, count } of sources.certificateRotations()) this.inc({ step, result }, count);
    },
  });
  new Gauge({
    name: 'probewright_ca_bundle_synced',
    help: 'Whether the caBundle of a webhook configuration holds the CA of what is served.',
    labelNames: ['config'],
    registers,
    collect() {
      this.reset();
      for (const [config, synced] of sources.bundlesSynced()) this.set({ config }, Number(synced));
    },
  });
  new Gauge({
    name: 'probewright_policy_statuses_set_aside',
    help: 'Policies whose status cannot be written although others can, on the replica that leads, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(sources.statusesSetAside())) this.set({ reason }, count);
    },
  });
  new Gauge({
    name: 'probewright_leader',
    help: 'Whether this replica is the one that writes: statuses, the CA, the caBundle.',
    registers,
    collect() {
      this.set(Number(sources.leader()));
    },
  });
  new Gauge({
    name: 'probewright_build_info',
    help: 'Always 1; the labels say what is running.',
    labelNames: ['version', 'commit', 'node_version'],
    registers,
  }).set({ ...sources.build, node_version: process.versions.node }, 1);
}
