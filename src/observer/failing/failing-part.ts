import { collectionPath } from '../../cluster/client/api-path.ts';
import { namespaceGauge } from '../gauges.ts';
import { workloadNameOfPod } from '../observed-workload.ts';
import { failingCauses, failingResults } from './failing-results.ts';
import type { FailingWorkloads } from './failing-workloads.ts';
import { podHealth } from './pod-health.ts';
import { EVENT_SELECTORS } from './probe-events.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { Reflector } from '../../cluster/client/reflector.ts';
import type { ObserverContext, ObserverPart } from '../observer-part.ts';

/** Findings are worked out so often. Most of the work is needed for Pods with trouble only. */
const ROUND_MILLISECONDS = 5_000;

/** Tells why Pods are not Ready: one result for each workload and cause, from Pods and the kubelet's events. */
export class FailingPart implements ObserverPart {
  readonly #workloads: FailingWorkloads;
  readonly #reflectors: readonly Reflector[];
  readonly #context: ObserverContext;
  #timer: NodeJS.Timeout | undefined;
  #isLeader = false;
  #found: (readonly [namespace: string, cause: string])[] = [];

  constructor(context: ObserverContext) {
    this.#context = context;
    this.#workloads = context.failing;
    namespaceGauge(
      'probewright_failing_workloads',
      'Workloads with a probe that fails now, by namespace and cause, on the leading observer.',
      () => (this.#isLeader ? this.#found : []),
      context.registers,
    );
    this.#reflectors = EVENT_SELECTORS.map((selector) => this.#watch(selector));
    context.podWatch.listen({
      seen: (pod) => this.#seen(pod),
      failed: (pod) => this.#seen(pod),
      gone: ({ metadata: { namespace, uid } }) => {
        if (namespace !== undefined && uid !== undefined) this.#workloads.gone(namespace, uid);
      },
      listed: (uids) => this.#workloads.retain(uids),
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

  readonly details = (): Readonly<Record<string, unknown>> => {
    const problem = this.#reflectors.map((reflector) => reflector.status().problem).find((one) => one !== undefined);
    return { failing: { podsWithTrouble: this.#workloads.troubledPods, ...(problem !== undefined && { problem }) } };
  };

  #watch(fieldSelector: string): Reflector {
    const { log, now } = this.#context;
    const events = { path: collectionPath({ apiVersion: 'v1', resource: 'events' }), fieldSelector };
    // An event that has expired, or was deleted, counts for as long as the trouble lasts.
    return new Reflector(this.#context, events, {
      seen: (objects) => {
        for (const event of objects) this.#workloads.event(event as unknown as JsonObject, now());
      },
      troubled: (problem) => {
        if (problem === undefined) log.info({ fieldSelector }, 'events can be watched again');
        else
          log.warn({ fieldSelector, problem }, 'events cannot be watched now: causes of failing probes are not known');
      },
    });
  }

  #seen(pod: KubernetesObject): void {
    const { uid } = pod.metadata;
    if (uid === undefined) return;
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
      this.#found = failing.flatMap((one) =>
        [...failingCauses(one)].map((cause) => [one.workload.namespace, cause] as const),
      );
    } catch (error) {
      log.error({ err: error }, 'failing probes cannot be evaluated');
    }
  }
}
