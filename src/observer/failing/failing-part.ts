import { Reflector } from '../../cluster/client/reflector.ts';
import { addCount, namespaceGauge } from '../namespace-gauge.ts';
import { workloadNameOfPod } from '../observed-workload.ts';
import { failingCauses, failingResults } from './failing-results.ts';
import { FailingWorkloads } from './failing-workloads.ts';
import { podHealth } from './pod-health.ts';
import { PROBE_EVENT_REASONS, readProbeEvent } from './probe-events.ts';
import type { Registry } from 'prom-client';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObserverContext, ObserverPart } from '../observer-part.ts';

/** Findings are worked out so often. Most of the work is needed for Pods with trouble only. */
const ROUND_MILLISECONDS = 5_000;

/**
 * Tells why Pods are not Ready: watches Pods and the kubelet's events, and puts one result for each workload and cause
 * into the reports.
 */
export class FailingPart implements ObserverPart {
  readonly #workloads = new FailingWorkloads();
  readonly #reflectors: readonly Reflector[];
  readonly #context: ObserverContext;
  #timer: NodeJS.Timeout | undefined;
  #isLeader = false;
  /** The UIDs of the Pods that the unfinished list has shown. */
  #listed: Set<string> | undefined;
  #counts = new Map<string, Map<string, number>>();

  constructor(context: ObserverContext) {
    this.#context = context;
    this.#reflectors = PROBE_EVENT_REASONS.map((reason) => this.#watch(reason));
    context.podWatch.listen({
      listing: () => {
        this.#listed = new Set();
      },
      seen: (pod) => this.#seen(pod),
      gone: ({ metadata: { namespace, uid } }) => {
        if (namespace !== undefined && uid !== undefined) this.#workloads.gone(namespace, uid);
      },
      listed: () => {
        if (this.#listed !== undefined) this.#workloads.retain(this.#listed);
        this.#listed = undefined;
      },
    });
  }

  start(): void {
    for (const reflector of this.#reflectors) void reflector.start();
    this.#timer = setInterval(() => this.#round(), ROUND_MILLISECONDS);
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

  #watch(reason: string): Reflector {
    const { client, log, now, random, watchRenewal } = this.#context;
    const applied = (event: KubernetesObject): void => {
      const hint = readProbeEvent(event as unknown as JsonObject);
      if (hint !== undefined) this.#workloads.hint(hint, now());
    };
    const events = {
      listing: () => ({ page: (page: readonly KubernetesObject[]) => page.forEach(applied), end: () => undefined }),
      applied,
      // An event has expired, or was deleted. Its content counts for as long as the trouble lasts.
      deleted: () => undefined,
      troubled: (problem: string | undefined) => {
        if (problem === undefined) log.info({ reason }, 'events can be watched again');
        else log.warn({ reason, problem }, 'events cannot be watched now: causes of failing probes are not known');
      },
    };
    const kind = { path: '/api/v1/events', fieldSelector: `involvedObject.kind=Pod,reason=${reason}` };
    return new Reflector(client, kind, events, { now, random }, { renewalMilliseconds: watchRenewal });
  }

  #seen(pod: KubernetesObject): void {
    const { uid } = pod.metadata;
    if (uid === undefined) return;
    this.#listed?.add(uid);
    const object = pod as unknown as JsonObject;
    const workload = workloadNameOfPod(object);
    if (workload !== undefined) this.#workloads.seen(uid, workload, podHealth(object));
  }

  #round(): void {
    const { now, isExempt, extraResults, log } = this.#context;
    try {
      const failing = this.#workloads.findings(now()).filter(({ workload }) => !isExempt(workload.namespace));
      extraResults.replace(
        'failing',
        failing.map((one) => [one.workload, failingResults(one)]),
      );
      this.#counts = new Map();
      for (const one of failing)
        for (const cause of failingCauses(one)) addCount(this.#counts, one.workload.namespace, cause);
    } catch (error) {
      log.error({ err: error }, 'failing probes cannot be evaluated');
    }
  }
}
