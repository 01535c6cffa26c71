import { Counter, Gauge, type Registry } from 'prom-client';
import { observeProcess, type ProcessSources } from '../../process/process-metrics.ts';

/** The values that the webhook's metrics read at scrape time. */
export interface MetricSources extends ProcessSources {
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
  /** The number of exceptions in each state. Absent without a cluster. */
  readonly exceptions?: () => Readonly<Record<string, number>>;
  /** The number of policy statuses that cannot be written while other statuses can, by reason. */
  readonly statusesSetAside: () => Readonly<Record<string, number>>;
  /** Whether each webhook configuration trusts the serving certificate. A missing configuration has no entry. */
  readonly bundlesSynced: () => ReadonlyMap<string, boolean>;
}

/** Registers the metrics whose values are read at scrape time. */
export function observeSources(sources: MetricSources, registers: Registry[]): void {
  observeProcess(sources, 'statuses, the CA and the caBundle', registers);
  observeCertificates(sources, registers);
  new Gauge({
    name: 'probewright_exceptions',
    help: 'ProbeExceptions, by state. expiring: ends within 14 days. unused: allowed nothing for 30 days.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(sources.exceptions?.() ?? {}))
        this.set({ state: state.toLowerCase() }, count);
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
