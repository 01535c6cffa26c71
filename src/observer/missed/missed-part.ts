import { isJsonObject, type JsonObject } from '../../base/json/json-value.ts';
import { hasCode } from '../../cluster/client/api-client.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { isDeepStrictEqual } from 'node:util';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { namespaceGauge } from '../gauges.ts';
import { LIVE_PODS, workloadNameOfPod } from '../observed-workload.ts';
import { missedProbes, missedResults, type MissedPod } from './missed-probes.ts';
import { laterTimes, readPolicyTimes, type PolicyTimes } from './policy-times.ts';
import { DEFAULT_SCOPE, readWebhookScope, type WebhookScope } from './webhook-scope.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObserverContext, ObserverPart } from '../observer-part.ts';

export interface MissedContext extends Pick<
  ObserverContext,
  'client' | 'log' | 'now' | 'podWatch' | 'extraResults' | 'isExempt' | 'registers'
> {
  /** The policies and facts in force; undefined before the first ones. */
  readonly snapshot: () => Snapshot | undefined;
  readonly webhookConfiguration: string;
}

const CHECK_MILLISECONDS = 3_000;
const SCOPE_MILLISECONDS = 300_000;
/** The pause between two lists of all Pods, however often policies change: 100 times as long as the last list took. */
const LIST_PAUSE = { factor: 100, minimum: 5_000, maximum: 30_000 };
/** Least time between two computations of results. A computation takes time for each Pod that lacks probes. */
const WRITE_MILLISECONDS = 1_000;
/** Age up to which a Pod is new. The probes of a Pod cannot change later, and its missing probes are known by then. */
const NEW_MILLISECONDS = 120_000;

/** The policies, labels and scope by which the Pods of the last list were evaluated. */
interface Basis {
  readonly tiers: Snapshot['tiers'];
  readonly namespaceLabels: Snapshot['facts']['namespaceLabels'] | undefined;
  readonly scope: WebhookScope;
}

/** Finds live Pods without probes that new Pods get. The leader lists all Pods after each change of policies. */
export class MissedPart implements ObserverPart {
  readonly #context: MissedContext;
  /** The Pods that lack probes, by UID. */
  readonly #pods = new Map<string, MissedPod>();
  readonly #work: RepeatedWork;
  readonly #problem = new CurrentProblem();
  #isLeader = false;
  #basis: Basis | undefined;
  #times: PolicyTimes = new Map();
  #scope = DEFAULT_SCOPE;
  #scopeReadAt = -Infinity;
  #nextList = -Infinity;
  /** Works the results out when it ends. */
  #writing: NodeJS.Timeout | undefined;
  /** Pods of the list that is being read, and of the watch meanwhile; false = gone. Undefined between lists. */
  #listing: Map<string, boolean> | undefined;

  constructor(context: MissedContext) {
    this.#context = context;
    namespaceGauge(
      'probewright_missed_pods',
      'Pods that lack probes which new Pods get, by namespace and cause, on the leading observer.',
      () =>
        [...(this.#isLeader ? this.#pods.values() : [])]
          .filter(({ workload }) => !context.isExempt(workload.namespace))
          .map(({ workload, missed }) => [workload.namespace, missed.cause]),
      context.registers,
    );
    this.#work = new RepeatedWork(() => this.#round(), CHECK_MILLISECONDS, Math.random);
    context.podWatch.listen({
      seen: (pod, receivedAt) => this.#seen(pod, receivedAt),
      gone: ({ metadata: { uid } }) => this.#gone(uid),
    });
  }

  start(): void {
    this.#work.start();
  }

  stop(): void {
    this.#work.stop();
    clearTimeout(this.#writing);
  }

  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
    // This replica does not know the changes that another leader has seen meanwhile.
    this.#basis = undefined;
    this.#nextList = -Infinity;
    if (isLeader) this.#work.ask();
  }

  #seen(pod: KubernetesObject, receivedAt: number): void {
    const { uid, creationTimestamp, deletionTimestamp } = pod.metadata;
    // The times of changed policies are read before the next list, which shows this Pod too.
    if (!this.#isLeader || uid === undefined || !this.#isOfToday()) return;
    this.#listing?.set(uid, true);
    const isNew = receivedAt - Date.parse(creationTimestamp ?? '') < NEW_MILLISECONDS;
    const isOfInterest = isNew || (deletionTimestamp !== undefined && this.#pods.has(uid));
    if (isOfInterest && this.#evaluate(pod)) this.#writeSoon();
  }

  #gone(uid: string | undefined): void {
    if (uid === undefined) return;
    this.#listing?.set(uid, false);
    if (this.#pods.delete(uid)) this.#writeSoon();
  }

  /** True while the Pods have been evaluated by the policies in force. */
  #isOfToday(): boolean {
    return this.#basis !== undefined && this.#basis.tiers === this.#context.snapshot()?.tiers;
  }

  async #round(): Promise<boolean> {
    if (!this.#isLeader) return true;
    const { now, snapshot } = this.#context;
    const current = snapshot();
    if (current === undefined) return true;
    try {
      if (Math.abs(now() - this.#scopeReadAt) >= SCOPE_MILLISECONDS) await this.#readScope();
      const basis: Basis = {
        tiers: current.tiers,
        namespaceLabels: current.looksAtNamespaceLabels ? current.facts.namespaceLabels : undefined,
        scope: this.#scope,
      };
      if (isSame(basis, this.#basis) || this.#isPausing(now())) return true;
      this.#times = laterTimes(this.#times, await readPolicyTimes(this.#context.client), now());
      await this.#list(basis);
      this.#report(undefined);
      return true;
    } catch (error) {
      this.#report(messageOf(error));
      return false;
    }
  }

  /** A clock that was set back does not prolong the pause. */
  #isPausing(now: number): boolean {
    const left = this.#nextList - now;
    return left > 0 && left <= LIST_PAUSE.maximum;
  }

  #report(problem: string | undefined): void {
    const news = this.#problem.note(problem);
    if (news === 'ended') this.#context.log.info('missed Pods can be looked for again');
    else if (news !== undefined) this.#context.log.warn({ problem }, 'missed Pods cannot be looked for now');
  }

  async #list(basis: Basis): Promise<void> {
    this.#basis = basis;
    const { now } = this.#context;
    const begun = now();
    const listing = (this.#listing = new Map<string, boolean>());
    try {
      const query = { fieldSelector: LIVE_PODS };
      await new PagedList(this.#context.client).forEachPage({ path: '/api/v1/pods', query }, ({ items }) => {
        for (const pod of items) {
          const { uid } = pod.metadata;
          if (uid === undefined || listing.get(uid) === false) continue;
          listing.set(uid, true);
          this.#evaluate(pod);
        }
      });
    } catch (error) {
      this.#basis = undefined;
      throw error;
    } finally {
      this.#listing = undefined;
    }
    const end = now();
    const pause = Math.max(LIST_PAUSE.minimum, (end - begun) * LIST_PAUSE.factor);
    this.#nextList = end + Math.min(pause, LIST_PAUSE.maximum);
    for (const uid of this.#pods.keys()) if (listing.get(uid) !== true) this.#pods.delete(uid);
    this.#write();
  }

  #evaluate(pod: KubernetesObject): boolean {
    const snapshot = this.#context.snapshot();
    const object = pod as unknown as JsonObject;
    const workload = workloadNameOfPod(object);
    const { uid } = pod.metadata;
    if (snapshot === undefined || workload === undefined || uid === undefined) return false;
    const surroundings = { snapshot, scope: this.#scope, changedAt: (source: string) => this.#times.get(source)?.at };
    const missed = missedProbes(object, surroundings);
    if (missed === undefined) return this.#pods.delete(uid);
    const before = this.#pods.get(uid)?.missed;
    this.#pods.set(uid, { workload, missed });
    return !isDeepStrictEqual(before, missed);
  }

  /** Once for all events of a second. Anybody who may create Pods could keep the observer busy otherwise. */
  #writeSoon(): void {
    this.#writing ??= setTimeout(() => this.#write(), WRITE_MILLISECONDS);
  }

  #write(): void {
    clearTimeout(this.#writing);
    this.#writing = undefined;
    this.#context.extraResults.replace('missed', missedResults(this.#pods.values()));
  }

  /** Without the configuration, the last known scope stays. The webhook may have been removed for a while. */
  async #readScope(): Promise<void> {
    const { webhookConfiguration, now, log } = this.#context;
    const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${webhookConfiguration}`;
    try {
      const configuration = await this.#context.client.request({ method: 'GET', path });
      const scope = isJsonObject(configuration) ? readWebhookScope(configuration) : undefined;
      if (scope !== undefined && !isDeepStrictEqual(scope, this.#scope)) this.#scope = scope;
      if (scope !== undefined && scope.foreignConditions.length > 0) {
        const conditions = scope.foreignConditions.slice(0, 10);
        log.warn({ conditions }, 'conditions of the webhook cannot be evaluated: missed and older Pods are not told');
      }
    } catch (error) {
      if (!hasCode(error, 404)) throw error;
      log.warn({ webhookConfiguration }, 'the webhook configuration does not exist: the last known scope is used');
    }
    this.#scopeReadAt = now();
  }
}

function isSame(one: Basis, other: Basis | undefined): boolean {
  return one.tiers === other?.tiers && one.namespaceLabels === other.namespaceLabels && one.scope === other.scope;
}
