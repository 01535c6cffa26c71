import { collectionPath, PODS } from '../../cluster/client/api-path.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import { PagedList } from '../../cluster/client/paged-list.ts';
import { isDeepStrictEqual } from 'node:util';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import { namespaceGauge } from '../gauges.ts';
import { LIVE_PODS, workloadNameOfPod } from '../observed-workload.ts';
import { lackingProbes, missedResults, NOTHING_LACKS, type MissedPod } from './missed-probes.ts';
import { tierOfPod, type TierSurroundings } from './tier-of-pod.ts';
import type { NativePolicy } from './native-policy.ts';
import type { WebhookScope } from './webhook-scope.ts';
import type { leftOutByNative } from '../../native/native-injection.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import type { ObserverContext, ObserverPart } from '../observer-part.ts';

export interface MissedContext extends Pick<
  ObserverContext,
  'client' | 'log' | 'monotonic' | 'podWatch' | 'extraResults' | 'inForce' | 'isExempt' | 'registers'
> {
  /** The policies and facts in force; undefined before the first ones. */
  readonly snapshot: () => Snapshot | undefined;
  readonly webhookConfiguration: string;
  /** False for a webhook that injects nothing, and so misses no Pod. */
  readonly webhookInjects: boolean;
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
  readonly native: NativePolicy | undefined;
  readonly webhookInjects: boolean;
}

/** A Pod that lacks probes which a tier should have injected. */
interface MissedByTier extends MissedPod {
  readonly tier: TierSurroundings['tier'];
}

/** The constructs for which the native policy leaves out probes of a Pod. */
interface LeftOutPod {
  readonly namespace: string;
  readonly constructs: readonly string[];
}

/** Finds live Pods without probes that new Pods get. The leader lists all Pods after each change of policies. */
export class MissedPart implements ObserverPart {
  readonly #context: MissedContext;
  /** The Pods that lack probes, by UID. */
  readonly #pods = new Map<string, MissedByTier>();
  /** The Pods that lack probes which the native policy leaves out, by UID. */
  readonly #leftOut = new Map<string, LeftOutPod>();
  /** Where the native policy injects: its law, which takes long to load, and the policies under it. */
  #law: typeof leftOutByNative | undefined;
  #native: { readonly of: Snapshot; readonly snapshot: Snapshot } | undefined;
  readonly #work: RepeatedWork;
  readonly #problem = new CurrentProblem();
  #isLeader = false;
  #basis: Basis | undefined;
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
      'Pods that lack probes which new Pods get, by namespace, cause and tier, on the leading observer.',
      () =>
        [...(this.#isLeader ? this.#pods.values() : [])]
          .filter(({ workload }) => !context.isExempt(workload.namespace))
          .map(({ workload, missed, tier }) => [workload.namespace, `${missed.cause} ${tier}`]),
      context.registers,
      ['cause', 'tier'],
    );
    namespaceGauge(
      'probewright_left_out_pods',
      'Pods that lack probes which the native policy leaves out, by namespace and construct, on the leading observer.',
      () =>
        [...(this.#isLeader ? this.#leftOut.values() : [])].flatMap(({ namespace, constructs }) =>
          context.isExempt(namespace) ? [] : constructs.map((construct) => [namespace, construct] as const),
        ),
      context.registers,
      ['construct'],
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
    this.#leftOut.delete(uid);
    if (this.#pods.delete(uid)) this.#writeSoon();
  }

  /** True while the Pods have been evaluated by the policies in force. */
  #isOfToday(): boolean {
    return this.#basis !== undefined && this.#basis.tiers === this.#context.snapshot()?.tiers;
  }

  get #webhookInjects(): boolean {
    return this.#context.webhookInjects && this.#context.inForce.webhookInjects;
  }

  async #round(): Promise<boolean> {
    if (!this.#isLeader) return true;
    const { monotonic, snapshot, inForce } = this.#context;
    const current = snapshot();
    if (current === undefined) return true;
    try {
      if (monotonic() - this.#scopeReadAt >= SCOPE_MILLISECONDS) await this.#readScope();
      if (!this.#webhookInjects && inForce.native === undefined) {
        this.#forget();
        return true;
      }
      const basis: Basis = {
        tiers: current.tiers,
        namespaceLabels: current.looksAtNamespaceLabels ? current.facts.namespaceLabels : undefined,
        scope: inForce.scope,
        native: inForce.native,
        webhookInjects: this.#webhookInjects,
      };
      if (isSame(basis, this.#basis) || monotonic() < this.#nextList) return true;
      await inForce.read(current.tiers);
      if (inForce.native !== undefined)
        this.#law ??= (await import('../../native/native-injection.ts')).leftOutByNative;
      const { scope, native } = inForce;
      await this.#list({ ...basis, scope, native, webhookInjects: this.#webhookInjects });
      this.#report(undefined);
      return true;
    } catch (error) {
      this.#report(messageOf(error));
      return false;
    }
  }

  /** Nothing injects, so nothing misses a Pod. */
  #forget(): void {
    this.#basis = undefined;
    this.#leftOut.clear();
    this.#pods.clear();
    this.#write();
  }

  #report(problem: string | undefined): void {
    const news = this.#problem.note(problem);
    if (news === 'ended') this.#context.log.info('missed Pods can be looked for again');
    else if (news !== undefined) this.#context.log.warn({ problem }, 'missed Pods cannot be looked for now');
  }

  async #list(basis: Basis): Promise<void> {
    this.#basis = basis;
    const { monotonic } = this.#context;
    const begun = monotonic();
    const listing = (this.#listing = new Map<string, boolean>());
    try {
      const query = { fieldSelector: `${LIVE_PODS},status.phase!=Failed` };
      await new PagedList(this.#context.client).forEachPage({ path: collectionPath(PODS), query }, ({ items }) => {
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
    const end = monotonic();
    const pause = Math.max(LIST_PAUSE.minimum, (end - begun) * LIST_PAUSE.factor);
    this.#nextList = end + Math.min(pause, LIST_PAUSE.maximum);
    for (const known of [this.#pods, this.#leftOut])
      for (const uid of known.keys()) if (listing.get(uid) !== true) known.delete(uid);
    this.#write();
  }

  #evaluate(pod: KubernetesObject): boolean {
    const snapshot = this.#context.snapshot();
    const object = pod as unknown as JsonObject;
    const workload = workloadNameOfPod(object);
    const { uid } = pod.metadata;
    if (snapshot === undefined || workload === undefined || uid === undefined) return false;
    const tier = tierOfPod(object, this.#tiers(snapshot, workload.namespace), snapshot.facts.namespaceLabels);
    const { missed, leftOut } = tier === undefined ? NOTHING_LACKS : lackingProbes(object, tier);
    if (leftOut.length === 0) this.#leftOut.delete(uid);
    else this.#leftOut.set(uid, { namespace: workload.namespace, constructs: leftOut });
    if (missed === undefined || tier === undefined) return this.#pods.delete(uid);
    const before = this.#pods.get(uid)?.missed;
    this.#pods.set(uid, { workload, missed, tier: tier.tier });
    return !isDeepStrictEqual(before, missed);
  }

  /** What injects into a namespace. The webhook adds what the native policy leaves out, so it comes first. */
  #tiers(snapshot: Snapshot, namespace: string): readonly TierSurroundings[] {
    const { inForce } = this.#context;
    const { scope, changedAt, native } = inForce;
    const webhook = { tier: 'webhook', snapshot, scope, changedAt, since: -Infinity } as const;
    const tiers: TierSurroundings[] = this.#webhookInjects ? [webhook] : [];
    if (native === undefined || this.#law === undefined) return tiers;
    if (this.#native?.of !== snapshot)
      this.#native = { of: snapshot, snapshot: snapshot.with(snapshot.tiers, snapshot.facts, this.#law) };
    const since = native.changedAt(namespace);
    return [...tiers, { tier: 'native', snapshot: this.#native.snapshot, scope: native.scope, changedAt, since }];
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

  async #readScope(): Promise<void> {
    const { webhookConfiguration, webhookInjects, inForce, monotonic, log } = this.#context;
    if (!(await inForce.readWebhook()) && webhookInjects)
      log.warn({ webhookConfiguration }, 'the webhook configuration does not exist: the last known scope is used');
    if (!(await inForce.readNative()))
      log.warn('the native policy cannot be read (mutatingadmissionpolicies): its missed Pods are not told');
    const conditions = inForce.scope.foreignConditions.slice(0, 10);
    if (conditions.length > 0)
      log.warn({ conditions }, 'conditions of the webhook cannot be evaluated: missed and older Pods are not told');
    this.#scopeReadAt = monotonic();
  }
}

function isSame(one: Basis, other: Basis | undefined): boolean {
  const isSameScope = one.scope === other?.scope && one.webhookInjects === other.webhookInjects;
  return (
    isSameScope &&
    one.native === other.native &&
    one.tiers === other.tiers &&
    one.namespaceLabels === other.namespaceLabels
  );
}
