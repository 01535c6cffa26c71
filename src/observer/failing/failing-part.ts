import { Reflector } from '../../cluster/client/reflector.ts';
import { workloadNameOfPod } from '../pod-workload.ts';
import { addCount, namespaceGauge } from '../namespace-gauge.ts';
import { ResultWriter } from '../result-writer.ts';
import { failingCauses, failingResults } from './failing-results.ts';
import { FailingWorkloads } from './failing-workloads.ts';
import { podHealth } from './pod-health.ts';
import { readProbeEvent } from './probe-event.ts';
import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { ApiClient } from '../../cluster/client/api-client.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ReflectorOptions } from '../../cluster/client/reflector.ts';
import type { ObserverPart } from '../observer-part.ts';
import type { PodListener, PodWatch } from '../pod-watch.ts';
import type { ExtraResults } from '../reports/extra-results.ts';

/** The dependencies of the part. */
export interface FailingDependencies {
  readonly log: Logger;
  /** The wall clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly podWatch: Pick<PodWatch, 'listen'>;
  readonly extraResults: ExtraResults;
  /** True for a namespace whose workloads the observer does not judge. */
  readonly isExempt: (namespace: string) => boolean;
}

/** The kubelet's events about probes. Each is a watch of its own: a field selector knows no "or". */
const REASONS = ['Unhealthy', 'Killing', 'ProbeWarning'] as const;
/** Findings are worked out so often. Most of the work is needed for Pods with trouble only. */
const ROUND_MILLISECONDS = 5_000;

/**
 * Tells why Pods are not Ready: watches Pods and the kubelet's events, and puts one result for each workload and cause
 * into the reports.
 */
export class FailingPart implements ObserverPart {
  readonly #workloads = new FailingWorkloads();
  readonly #reflectors: readonly Reflector[];
  readonly #writer: ResultWriter;
  readonly #dependencies: FailingDependencies;
  #timer: NodeJS.Timeout | undefined;
  #isLeader = false;
  #listed: Set<string> | undefined;
  #counts = new Map<string, Map<string, number>>();

  constructor(client: ApiClient, dependencies: FailingDependencies, options: ReflectorOptions = {}) {
    const { log, now, podWatch, extraResults } = dependencies;
    this.#dependencies = dependencies;
    this.#writer = new ResultWriter('failing', extraResults);
    const take = (event: KubernetesObject): void => {
      const hint = readProbeEvent(event as unknown as JsonObject);
      if (hint !== undefined) this.#workloads.hint(hint, now());
    };
    this.#reflectors = REASONS.map(
      (reason) =>
        new Reflector(
          client,
          { path: '/api/v1/events', fieldSelector: `involvedObject.kind=Pod,reason=${reason}` },
          {
            listing: () => ({ page: (events) => events.forEach(take), end: () => undefined }),
            applied: take,
            // An event has expired, or was deleted. Its content counts for as long as the trouble lasts.
            deleted: () => undefined,
            troubled: (problem) => {
              if (problem === undefined) log.info({ reason }, 'events can be watched again');
              else
                log.warn({ reason, problem }, 'events cannot be watched now: causes of failing probes are not known');
            },
          },
          { now, random: Math.random },
          options,
        ),
    );
    podWatch.listen(this.#podListener());
  }

  start(): void {
    for (const reflector of this.#reflectors) void reflector.start();
    this.#timer = setInterval(() => {
      this.#round();
    }, ROUND_MILLISECONDS);
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const reflector of this.#reflectors) reflector.stop();
  }

  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
  }

  registerMetrics(registers: Registry[]): void {
    namespaceGauge(
      'probewright_failing_workloads',
      'Workloads with a probe that fails now, by namespace and cause, on the leading observer.',
      () => (this.#isLeader ? this.#counts : new Map()),
      registers,
    );
  }

  readonly details = (): Readonly<Record<string, unknown>> => {
    const problem = this.#reflectors.map((reflector) => reflector.status().problem).find((one) => one !== undefined);
    return { failing: { podsWithTrouble: this.#workloads.troubledPods, ...(problem !== undefined && { problem }) } };
  };

  #podListener(): PodListener {
    return {
      listing: () => {
        this.#listed = new Set();
      },
      seen: (pod) => {
        const { uid } = pod.metadata;
        if (uid === undefined) return;
        this.#listed?.add(uid);
        const object = pod as unknown as JsonObject;
        const workload = workloadNameOfPod(object);
        if (workload !== undefined) this.#workloads.seen(uid, workload, podHealth(object));
      },
      gone: ({ metadata: { namespace, uid } }) => {
        if (namespace !== undefined && uid !== undefined) this.#workloads.gone(namespace, uid);
      },
      listed: () => {
        if (this.#listed !== undefined) this.#workloads.retain(this.#listed);
        this.#listed = undefined;
      },
    };
  }

  #round(): void {
    try {
      const { now, isExempt } = this.#dependencies;
      const failing = this.#workloads.findings(now()).filter(({ workload }) => !isExempt(workload.namespace));
      this.#writer.replace(failing.map((one) => [one.workload, failingResults(one)]));
      const counts = new Map<string, Map<string, number>>();
      for (const one of failing)
        for (const cause of failingCauses(one)) addCount(counts, one.workload.namespace, cause);
      this.#counts = counts;
    } catch (error) {
      this.#dependencies.log.error({ err: error }, 'failing probes cannot be evaluated');
    }
  }
}
