import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { REASON_CODES } from '../../engine/defaulting/not-injected.ts';
import { CHECKS } from '../../engine/checks/catalogue.ts';
import { PROBE_KINDS } from '../../engine/probe/probe.ts';
import { POLICY_KINDS } from '../../engine/policy/probe-policy.ts';
import { BUILT_IN_KINDS } from '../../engine/workload/kinds.ts';
import { MISSED_NAMESPACES } from '../../cluster/sources/namespace-waiters.ts';
import { droppedConnections } from '../../process/http-app.ts';
import { WEBHOOKS, type AdmissionRequest, type Decision, type Webhook } from '../review/decision.ts';
import type { ReviewCounts } from './review-endpoint.ts';
import { gaugesIn, observeNode, observeProcess, type ProcessSources } from '../../process/process-metrics.ts';
import type { CertificateFigures } from '../certificates/serving-tls.ts';

/**
 * `incomplete`: the time ended the computation, or a kind could not be listed. `busy`: another effect was being
 * computed. `not-loaded`: the policies are not known.
 */
const EFFECT_RESULTS = ['complete', 'incomplete', 'busy', 'not-loaded', 'abandoned'] as const;
export type EffectResult = (typeof EFFECT_RESULTS)[number];

const PORTS = ['webhook', 'health'] as const;
type Port = (typeof PORTS)[number];

/** The source of an injected probe in metrics. The name of a policy would be an unbounded label. */
const RULES = ['policy', 'annotation', 'safety'] as const;

/** All other values get the label `other`, so that clients cannot create unlimited series. */
const OPERATIONS = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
const KINDS = new Set<string>([...BUILT_IN_KINDS.map(({ kind }) => kind), ...POLICY_KINDS]);

/** The values that the webhook's metrics read at scrape time. What is absent gives no series. */
export interface MetricSources extends ProcessSources {
  readonly certificates?: () => CertificateFigures;
  readonly exceptions?: () => Readonly<Record<string, number>>;
  readonly statusesSetAside?: () => Readonly<Record<string, number>>;
}

type Values = Readonly<Record<string, number | boolean | undefined>>;

/** All metrics of the webhook, in their own registry. Durations are in seconds. */
export class Metrics implements ReviewCounts {
  readonly registry = new Registry();
  readonly #requests = this.#counter(
    'probewright_admission_requests_total',
    'Admission requests answered. result is allow, mutate, warn, deny, skip (allowed without checks) or error. would_be is the result with enforcement Deny and mutation On.',
    ['webhook', 'operation', 'kind', 'result', 'would_be', 'dry_run'],
  );
  readonly #duration = new Histogram({
    name: 'probewright_admission_duration_seconds',
    help: 'Time from the first byte of an admission request to the end of its answer.',
    labelNames: ['webhook'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [this.registry],
  });
  readonly #inFlight = new Gauge({
    name: 'probewright_admission_in_flight',
    help: 'Admission requests in progress.',
    registers: [this.registry],
  });
  readonly #patches = this.#counter(
    'probewright_patch_operations_total',
    'Probes injected, by probe and source: policy, annotation or safety. With mutation Audit: probes that would have been injected.',
    ['rule', 'probe'],
  );
  readonly #notInjected = this.#counter(
    'probewright_not_injected_total',
    'Missing probes of selected containers that were not injected, by reason; docs/defaulting.md explains each.',
    ['reason'],
  );
  readonly #findings = this.#counter(
    'probewright_findings_total',
    'Violations of checks, by check and by what they led to: Deny, Warn, Audit or Excepted.',
    ['rule', 'action'],
  );
  readonly #wouldBe = this.#counter(
    'probewright_would_be_findings_total',
    'Violations of checks as they would be with enforcement Deny and mutation On, by check and action.',
    ['rule', 'action'],
  );
  readonly notJudged = this.#counter(
    'probewright_reviews_not_judged_total',
    'Admission requests that waited for most of their time, or for room: /validate denied them, /mutate allowed them without probes.',
    ['webhook'],
  );
  readonly waitSkipped = this.#counter(
    'probewright_namespace_waits_skipped_total',
    'Admission requests from new namespaces that were decided without the labels: no-room (too many waited), timeout (half a second) or no-contact (no watch).',
    ['webhook', 'reason'],
  );
  readonly #dropped = droppedConnections(PORTS, [this.registry]);
  readonly effects = this.#counter(
    'probewright_policy_effects_total',
    'Effects of a policy on live workloads, when it is applied or deleted: complete, incomplete (no time, or a kind cannot be listed), busy, not-loaded or abandoned (the client is gone).',
    ['result'],
  );
  readonly certificateWrites = this.#counter(
    'probewright_cert_rotations_total',
    "Writes of Probewright's own certificates, by step and result: done, conflict (harmless) or error.",
    ['step', 'result'],
  );

  constructor(sources: MetricSources) {
    observeNode(this.registry);
    this.#zero();
    observeSources(sources, [this.registry]);
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** Creates the series at the start, so that rate() sees the first increase. */
  #zero(): void {
    for (const webhook of WEBHOOKS) {
      this.notJudged.inc({ webhook }, 0);
      for (const reason of MISSED_NAMESPACES) this.waitSkipped.inc({ webhook, reason }, 0);
      this.#duration.zero({ webhook });
      const kind = webhook === 'review-policies' ? 'ProbePolicy' : 'Pod';
      for (const result of ['allow', 'error'])
        this.#requests.inc({ webhook, operation: 'CREATE', kind, result, would_be: result, dry_run: 'false' }, 0);
    }
    for (const result of EFFECT_RESULTS) this.effects.inc({ result }, 0);
    for (const rule of RULES) for (const probe of PROBE_KINDS) this.#patches.inc({ rule, probe }, 0);
    for (const reason of REASON_CODES) this.#notInjected.inc({ reason }, 0);
    for (const { id, action } of CHECKS)
      if (action !== 'Off') for (const counter of [this.#findings, this.#wouldBe]) counter.inc({ rule: id, action }, 0);
  }

  started(): void {
    this.#inFlight.inc();
  }

  finished(webhook: Webhook, seconds: number): void {
    this.#inFlight.dec();
    this.#duration.observe({ webhook }, seconds);
  }

  decided(webhook: Webhook, request: AdmissionRequest, decision: Decision): void {
    const { result, defaulting, violations = [], wouldBe } = decision;
    this.#count(webhook, request, result, wouldBe?.result);
    for (const { kind, source } of defaulting?.injections ?? []) {
      const rule = source === 'annotation' || source === 'safety' ? source : 'policy';
      this.#patches.inc({ rule, probe: kind });
    }
    for (const { code } of defaulting?.notInjected ?? []) this.#notInjected.inc({ reason: code });
    for (const { check, action } of violations) this.#findings.inc({ rule: check, action });
    for (const { check, action } of wouldBe?.violations ?? violations) this.#wouldBe.inc({ rule: check, action });
  }

  /** Counts a request without a decision: an undecodable body, a missed deadline, or an internal error. */
  failed(webhook: Webhook): void {
    this.#count(webhook, undefined, 'error');
  }

  connectionDropped(port: Port): void {
    this.#dropped.inc({ port });
  }

  #count(webhook: Webhook, request: AdmissionRequest | undefined, result: string, wouldBe = result): void {
    const operation = request && OPERATIONS.has(request.operation) ? request.operation : 'other';
    const kind = request && KINDS.has(request.kind.kind) ? request.kind.kind : 'other';
    const dryRun = String(request?.dryRun === true);
    this.#requests.inc({ webhook, operation, kind, result, would_be: wouldBe, dry_run: dryRun });
  }
}

function observeSources(sources: MetricSources, registers: Registry[]): void {
  observeProcess(sources, 'statuses, the CA and the caBundle', registers);
  const gauge = gaugesIn(registers);
  /** A gauge with one label, and its value for each value of the label. */
  const gaugeOf = (name: string, label: string, help: string, values: () => Values | undefined): void =>
    gauge(name, help, [label], () =>
      Object.entries(values() ?? {}).flatMap(([key, value]) =>
        value === undefined ? [] : [[Number(value), { [label]: key.toLowerCase() }] as const],
      ),
    );
  const seconds = (milliseconds: number | undefined): number | undefined => milliseconds && milliseconds / 1000;
  gaugeOf(
    'probewright_cert_expiry_timestamp_seconds',
    'cert',
    "Expiry of certificates, as a Unix time: the serving one (leaf), Probewright's own CA (ca), and the next CA (next).",
    () => {
      const { leafNotAfter, caNotAfter, nextNotAfter } = sources.certificates?.() ?? {};
      return { leaf: seconds(leafNotAfter), ca: seconds(caNotAfter), next: seconds(nextNotAfter) };
    },
  );
  gauge(
    'probewright_cert_problem',
    'Whether the serving certificate, or its renewal, has a problem. /readyz names the problem.',
    [],
    () => [[Number(sources.certificates?.().problem !== undefined)]],
  );
  gaugeOf(
    'probewright_ca_bundle_synced',
    'config',
    'Whether the caBundle of a webhook configuration has every CA that it should. Absent without the configuration.',
    () => sources.certificates?.().bundleSynced,
  );
  gaugeOf(
    'probewright_exceptions',
    'state',
    'ProbeExceptions, by state. expiring: ends within 14 days. unused: allowed nothing for 30 days.',
    () => sources.exceptions?.(),
  );
  gaugeOf(
    'probewright_policy_statuses_set_aside',
    'reason',
    'Policies whose status cannot be written, on the leader: too-large, refused, gone, failed or not-kept.',
    () => sources.statusesSetAside?.(),
  );
}
