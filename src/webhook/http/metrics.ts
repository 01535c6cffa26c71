import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { REASON_CODES } from '../../engine/defaulting/reason.ts';
import { CHECKS } from '../../engine/checks/catalogue.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { POLICY_KINDS } from '../../engine/policy/probe-policy.ts';
import { BUILT_IN_KINDS } from '../../engine/workload/kinds.ts';
import { MISSED_NAMESPACES } from '../../engine/facts/missed-namespace.ts';
import { droppedConnections } from '../../process/dropped-connections.ts';
import { EFFECT_RESULTS } from '../review/effect-result.ts';
import { observeSources } from './metric-sources.ts';
import { Tally } from '../../process/tally.ts';
import type { Decision } from '../review/decision.ts';
import type { EffectResult } from '../review/effect-result.ts';
import type { AdmissionRequest } from '../review/review.ts';
import type { Counter } from 'prom-client';
import type { MissedNamespace } from '../../engine/facts/missed-namespace.ts';
import type { MetricSources } from './metric-sources.ts';

export const WEBHOOKS = ['mutate', 'validate', 'review-policies'] as const;
export type Webhook = (typeof WEBHOOKS)[number];

/** The ports that Probewright listens on. */
const PORTS = ['webhook', 'health'] as const;
export type Port = (typeof PORTS)[number];

/** The steps that wait when a client's address uses more than its share. */
const DELAYS = ['reading', 'body', 'handshake'] as const;
export type Delay = (typeof DELAYS)[number];

/** The source of an injected probe in metrics. The name of a policy would be an unbounded label. */
const RULES = ['policy', 'annotation', 'safety'] as const;

/**
 * Operations and kinds with their own label. All other values get the label `other`, so that clients cannot create
 * unlimited series.
 */
const OPERATIONS = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
const KINDS = new Set<string>([...BUILT_IN_KINDS.map(({ kind }) => kind), ...POLICY_KINDS]);

const KIND_OF_FIRST_SERIES: Readonly<Record<Webhook, string>> = {
  mutate: 'Pod',
  validate: 'Pod',
  'review-policies': 'ProbePolicy',
};

/**
 * The number of durations that the histogram receives at once. In a batch, the histogram's code stays in the
 * processor's caches.
 */
const DURATIONS_AT_ONCE = 100;

/** All metrics of Probewright, in their own registry. Durations are in seconds. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Tally;
  readonly #duration: Histogram;
  /** Durations, in seconds, that the histogram has not received yet, by webhook. */
  readonly #observed: Readonly<Record<Webhook, number[]>> = {
    mutate: [],
    validate: [],
    'review-policies': [],
  };
  #inFlight = 0;
  readonly #patches: Tally;
  readonly #notInjected: Tally;
  readonly #findings: Tally;
  readonly #deadline: Tally;
  readonly #waitSkipped: Tally;
  readonly #dropped: Counter<'port'>;
  readonly #delays: Tally;
  readonly #effects: Tally;

  constructor(sources: MetricSources) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#requests = new Tally({
      name: 'probewright_admission_requests_total',
      help: 'Admission requests answered, by result.',
      labelNames: ['webhook', 'operation', 'kind', 'result', 'dry_run'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'probewright_admission_duration_seconds',
      help: 'Time from the first byte of an admission request to the end of its answer.',
      labelNames: ['webhook'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
      registers,
      collect: () => {
        for (const webhook of WEBHOOKS) this.#tellDurations(webhook);
      },
    });
    this.#observeInFlight(registers);
    this.#patches = new Tally({
      name: 'probewright_patch_operations_total',
      help: 'Probes injected, by probe and source. With mutation Audit: probes that would have been injected.',
      labelNames: ['rule', 'probe'],
      registers,
    });
    this.#notInjected = new Tally({
      name: 'probewright_not_injected_total',
      help: 'Missing probes of selected containers that were not injected, by reason.',
      labelNames: ['reason'],
      registers,
    });
    this.#findings = new Tally({
      name: 'probewright_findings_total',
      help: 'Violations of checks, by check and action.',
      labelNames: ['rule', 'action'],
      registers,
    });
    this.#deadline = new Tally({
      name: 'probewright_deadline_exceeded_total',
      help: "Admission requests ended because most of the API server's timeout had passed.",
      labelNames: ['webhook'],
      registers,
    });
    this.#waitSkipped = new Tally({
      name: 'probewright_namespace_waits_skipped_total',
      help: 'Admission requests from new namespaces that were decided without labels of the namespace, by reason.',
      labelNames: ['webhook', 'reason'],
      registers,
    });
    this.#dropped = droppedConnections(PORTS, registers);
    this.#delays = new Tally({
      name: 'probewright_client_delays_total',
      help: 'How often clients of one address had to wait because they used more than their share, by what waited.',
      labelNames: ['what'],
      registers,
    });
    this.#effects = effectsTally(registers);
    this.#zero();
    observeSources(sources, registers);
  }

  #observeInFlight(registers: Registry[]): void {
    const inFlight = (): number => this.#inFlight;
    new Gauge({
      name: 'probewright_admission_in_flight',
      help: 'Admission requests in progress.',
      registers,
      collect() {
        this.set(inFlight());
      },
    });
  }

  /** Creates the series at the start, so that rate() sees the first increase. */
  #zero(): void {
    for (const webhook of WEBHOOKS) {
      this.#deadline.zero(webhook);
      for (const reason of MISSED_NAMESPACES) this.#waitSkipped.zero(webhook, reason);
      this.#duration.zero({ webhook });
      for (const result of ['allow', 'error'])
        this.#requests.zero(webhook, 'CREATE', KIND_OF_FIRST_SERIES[webhook], result, 'false');
    }
    for (const what of DELAYS) this.#delays.zero(what);
    for (const result of EFFECT_RESULTS) this.#effects.zero(result);
    for (const rule of RULES) for (const probe of PROBE_KINDS) this.#patches.zero(rule, probe);
    for (const reason of REASON_CODES) this.#notInjected.zero(reason);
    for (const { id, action } of CHECKS) if (action !== 'Off') this.#findings.zero(id, action);
  }

  started(): void {
    this.#inFlight += 1;
  }

  finished(webhook: Webhook, seconds: number): void {
    this.#inFlight -= 1;
    if (this.#observed[webhook].push(seconds) >= DURATIONS_AT_ONCE) this.#tellDurations(webhook);
  }

  decided(webhook: Webhook, request: AdmissionRequest, { result, defaulting, violations }: Decision): void {
    this.#count(webhook, request, result);
    if (defaulting !== undefined) {
      for (const { kind, source } of defaulting.injections)
        this.#patches.inc(source === 'annotation' || source === 'safety' ? source : 'policy', kind);
      for (const { code } of defaulting.notInjected) this.#notInjected.inc(code);
    }
    if (violations !== undefined) for (const { check, action } of violations) this.#findings.inc(check, action);
  }

  /** Counts a request without a decision: an undecodable body, a missed deadline, or an internal error. */
  failed(webhook: Webhook, request: AdmissionRequest | undefined): void {
    this.#count(webhook, request, 'error');
  }

  deadlineExceeded(webhook: Webhook): void {
    this.#deadline.inc(webhook);
  }

  waitSkipped(webhook: Webhook, reason: MissedNamespace): void {
    this.#waitSkipped.inc(webhook, reason);
  }

  connectionDropped(port: Port): void {
    this.#dropped.inc({ port });
  }

  /** Counts a computation of a policy's effect on live workloads. */
  effectComputed(result: EffectResult): void {
    this.#effects.inc(result);
  }

  delayed(what: Delay): void {
    this.#delays.inc(what);
  }

  #tellDurations(webhook: Webhook): void {
    for (const seconds of this.#observed[webhook]) this.#duration.observe({ webhook }, seconds);
    this.#observed[webhook].length = 0;
  }

  #count(webhook: Webhook, request: AdmissionRequest | undefined, result: string): void {
    const operation = request && OPERATIONS.has(request.operation) ? request.operation : 'other';
    const kind = request && KINDS.has(request.kind.kind) ? request.kind.kind : 'other';
    this.#requests.inc(webhook, operation, kind, result, request?.dryRun === true ? 'true' : 'false');
  }
}

function effectsTally(registers: Registry[]): Tally {
  return new Tally({
    name: 'probewright_policy_effects_total',
    help: 'Computations of what a policy does to live workloads, when the policy is applied or deleted, by result.',
    labelNames: ['result'],
    registers,
  });
}
