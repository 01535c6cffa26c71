import { APPLY_PATCH, hasCode, isUnavailable, unlessMissing } from '../../cluster/client/api-client.ts';
import { NATIVE_COLLECTIONS, objectPath } from '../../cluster/client/api-path.ts';
import { RepeatedWork } from '../../cluster/client/timing.ts';
import { writeFailure } from '../../cluster/client/write-failure.ts';
import { Reconciler, type Setback, type Task } from '../../cluster/reconcile.ts';
import { textAt } from '../../base/json/field-path.ts';
import { CurrentProblem, messageOf } from '../../base/text/error-message.ts';
import {
  CLOSED_PARAM,
  CLUSTER_PARAM,
  PARAM,
  PARAM_VERSION,
  PARAM_VERSION_LABEL,
  paramObject,
  type ParamSpec,
} from '../../native/namespace-probes.ts';
import { NATIVE_POLICY_NAME } from '../../engine/policy/injection-tier.ts';
import { isoTimeOrNull } from '../../process/policies.ts';
import { digestOf, KnownParams } from './known-params.ts';
import { registerNativeMetrics, type NativeState, type NativeWrites } from './native-metrics.ts';
import { affectedParams, wantedParam } from './wanted-params.ts';
import type { Snapshot } from '../../engine/facts/snapshot.ts';
import type { ObserverContext, ObserverPart } from '../observer-part.ts';
import type { PolicyConditions } from './policy-conditions.ts';

export type NativeContext = Pick<
  ObserverContext,
  'client' | 'log' | 'monotonic' | 'now' | 'random' | 'registers' | 'store' | 'watchRenewal'
>;

/** A param that may have to be written. Undefined stands for the cluster's. */
interface ParamTask extends Task {
  readonly namespace: string | undefined;
}

/** Changes of so long are written together: after an apply of many policies, one write of the cluster's param. */
const SETTLE_MILLISECONDS = 100;
const ROUND_MILLISECONDS = 10_000;
/** How often to look which params the native policy reads. */
const POLICY_MILLISECONDS = 60_000;
const PAUSES = { all: { minimum: 1_000, maximum: 15_000 }, lane: { minimum: 1_000, maximum: 300_000 } };
const CLUSTER_KEY = '';

/**
 * Keeps the params of the native policy as the policies and Services say, while this replica leads. Without the
 * observer they are stale and never missing. A new param of a namespace is written before the cluster's param leaves
 * the namespace out, and an old one is deleted after: in between, a Pod gets the probes of one of the two.
 */
export class NativePart implements ObserverPart {
  readonly #context: NativeContext;
  readonly #home: string;
  readonly #conditions: PolicyConditions;
  readonly #known: KnownParams;
  readonly #queue: Reconciler<ParamTask>;
  readonly #work: RepeatedWork;
  readonly #writes: NativeWrites;
  readonly #problem = new CurrentProblem();
  /** The params to look at, by key. */
  readonly #waiting = new Set<string>();
  /** The digests of params that were as they should be. */
  readonly #right = new Map<string, string>();
  /** The digests of params that the API server has refused. */
  readonly #refused = new Map<string, string>();
  /** The params without room for what policies say. */
  readonly #closed = new Set<string>();
  readonly #touched = new Set<string | undefined>();
  #isLeader = false;
  #basis: Snapshot | undefined;
  #policy = { readAt: -Infinity, version: undefined as number | undefined };
  /** When all params were last known to be right, or since when this replica leads. */
  #currentAt: number | undefined;
  /** Asks for a round when it ends. */
  #settling: NodeJS.Timeout | undefined;

  /** @param home the namespace of the cluster's param */
  constructor(context: NativeContext, home: string, conditions: PolicyConditions) {
    const { log, random, registers } = context;
    this.#context = context;
    this.#home = home;
    this.#conditions = conditions;
    this.#writes = registerNativeMetrics(() => {
      const [params, currentAt] = [this.#states(), this.#currentAt];
      return currentAt === undefined ? undefined : { params, currentAt };
    }, registers);
    this.#known = new KnownParams(
      context,
      home,
      (namespace) => {
        this.#touched.add(namespace);
        this.#askSoon();
      },
      (problem) => {
        if (problem === undefined) log.info('NamespaceProbes can be watched again');
        else log.warn({ problem }, 'NamespaceProbes cannot be watched now');
      },
    );
    this.#queue = new Reconciler<ParamTask>({
      write: (task, signal) => this.#write(task, signal),
      succeeded: ({ key }) => {
        this.#waiting.delete(key);
        if (this.#waiting.size === 0) this.#askSoon();
      },
      failed: (task, error) => this.#failed(task, error),
      pauses: PAUSES,
      random,
    });
    this.#work = new RepeatedWork(() => this.#round(), ROUND_MILLISECONDS, random);
  }

  start(): void {
    void this.#known.reflector.start().then(() => this.#askSoon());
    this.#context.store.onChange(() => this.#askSoon());
    this.#work.start();
  }

  stop(): void {
    this.lead(false);
    clearTimeout(this.#settling);
    this.#work.stop();
    this.#known.reflector.stop();
  }

  lead(isLeader: boolean): void {
    this.#isLeader = isLeader;
    this.#queue.setActive(isLeader);
    this.#conditions.lead(isLeader);
    for (const collection of [this.#waiting, this.#right, this.#refused, this.#closed]) collection.clear();
    this.#basis = undefined;
    this.#currentAt = isLeader ? this.#context.now() : undefined;
    if (isLeader) this.#askSoon();
  }

  #askSoon(): void {
    this.#settling ??= setTimeout(() => {
      this.#settling = undefined;
      this.#work.ask();
    }, SETTLE_MILLISECONDS).unref();
  }

  readonly details = (): Readonly<Record<string, unknown>> => {
    const problem = this.#whyStale();
    return {
      nativeParams: {
        ...this.#states(),
        policy: this.#policy.version === undefined ? 'absent' : `reads version ${this.#policy.version}`,
        currentAt: isoTimeOrNull(this.#currentAt),
        ...(problem !== undefined && { problem }),
        ...(this.#conditions.problem !== undefined && { conditionsProblem: this.#conditions.problem }),
      },
    };
  };

  #states(): NativeState['params'] {
    const [stale, closed] = [this.#waiting.size, this.#closed.size];
    const known = this.#known.namespaces.size + Number(this.#known.cluster !== undefined);
    return { current: Math.max(0, known - stale - closed), stale, closed };
  }

  /** Undefined while the params are current. */
  #whyStale(): string | undefined {
    const { synced, problem } = this.#known.reflector.status();
    if (this.#isHeld())
      return `the native policy reads params up to version ${this.#policy.version}, so none of version ${PARAM_VERSION} is written: upgrade the chart`;
    return problem ?? this.#problem.text ?? (synced ? undefined : 'NamespaceProbes have not been read yet');
  }

  /** True while the native policy would ignore params of this version. */
  #isHeld(): boolean {
    return this.#policy.version !== undefined && this.#policy.version < PARAM_VERSION;
  }

  async #round(): Promise<boolean> {
    const { monotonic, now, store } = this.#context;
    const snapshot = store.current;
    if (!this.#isLeader || snapshot === undefined || !this.#known.reflector.status().synced) return true;
    if (monotonic() - this.#policy.readAt >= POLICY_MILLISECONDS && !(await this.#readPolicy())) return false;
    if (this.#isHeld()) {
      this.#passConditions();
      this.#note(this.#whyStale());
      return true;
    }
    for (const namespace of affectedParams(this.#basis, snapshot, this.#touched, this.#known)) this.#put(namespace);
    this.#touched.clear();
    this.#basis = snapshot;
    this.#passConditions();
    if (this.#waiting.size === 0) this.#note(undefined);
    if (this.#waiting.size === 0 && this.#whyStale() === undefined) this.#currentAt = now();
    return true;
  }

  #passConditions(): void {
    this.#conditions.pass(this.#policy.version !== undefined, (key) => {
      if (this.#closed.has(key)) return 'closed';
      // Before the first look at the param, nobody knows.
      return this.#waiting.has(key) && !this.#right.has(key) ? undefined : 'open';
    });
  }

  #put(namespace: string | undefined): void {
    const key = namespace ?? CLUSTER_KEY;
    this.#waiting.add(key);
    this.#queue.put({ key, namespace });
  }

  /** False when it cannot be read: then it is not known which params the policy would ignore. */
  async #readPolicy(): Promise<boolean> {
    const { client, monotonic } = this.#context;
    try {
      const path = objectPath(NATIVE_COLLECTIONS.policies, { name: NATIVE_POLICY_NAME });
      const policy = await unlessMissing(client.request({ method: 'GET', path }));
      const version = Number(textAt(policy, 'metadata', 'labels', PARAM_VERSION_LABEL) ?? NaN);
      this.#policy = { readAt: monotonic(), version: Number.isInteger(version) ? version : undefined };
      return true;
    } catch (error) {
      this.#note(messageOf(error));
      return false;
    }
  }

  async #write({ key, namespace }: ParamTask, signal: AbortSignal): Promise<void> {
    const { client, log, store } = this.#context;
    const snapshot = store.current;
    if (snapshot === undefined) return;
    const wanted = wantedParam(namespace, snapshot, this.#known);
    const known = namespace === undefined ? this.#known.cluster : this.#known.namespaces.get(namespace);
    const place = { namespace: namespace ?? this.#home, name: namespace === undefined ? CLUSTER_PARAM : PARAM };
    const path = objectPath(NATIVE_COLLECTIONS.params, place);
    if (wanted === undefined) {
      this.#right.delete(key);
      this.#closed.delete(key);
      if (known === undefined || this.#known.except.has(place.namespace)) return;
      await unlessMissing(client.request({ method: 'DELETE', path, signal }));
      this.#writes.inc({ result: 'deleted' });
      return;
    }
    const asSaid = digestOf(wanted);
    const spec = this.#refused.get(key) === asSaid ? CLOSED_PARAM : wanted;
    this.#noteClosed(key, spec, place);
    const digest = digestOf(spec);
    if (known === digest) return void this.#right.set(key, digest);
    const query = { fieldManager: 'probewright-observer', force: 'true' };
    const body = paramObject(place.name, place.namespace, spec);
    try {
      await client.request({ method: 'PATCH', path, query, contentType: APPLY_PATCH, body, signal });
    } catch (error) {
      if (spec !== CLOSED_PARAM && ['refused', 'too-large'].includes(writeFailure(error)))
        this.#refused.set(key, asSaid);
      throw error;
    }
    // It was right, and policies have not changed since.
    const isForeign = this.#right.get(key) === digest;
    if (isForeign) log.warn(place, 'somebody else had changed NamespaceProbes: the object is overwritten');
    this.#writes.inc({ result: isForeign ? 'overwritten' : 'written' });
  }

  #noteClosed(key: string, spec: ParamSpec, place: object): void {
    if (spec !== CLOSED_PARAM) return void this.#closed.delete(key);
    if (!this.#closed.has(key))
      this.#context.log.warn(
        place,
        'the policies have no room in NamespaceProbes, or cost too much: the native policy adds no probes there',
      );
    this.#closed.add(key);
  }

  /** A namespace that is being deleted takes its param along. */
  #failed({ key }: ParamTask, error: unknown): Setback {
    this.#writes.inc({ result: 'failed' });
    if (hasCode(error, 403) && messageOf(error).includes('because it is being terminated')) {
      this.#waiting.delete(key);
      return { pauses: 'nobody', isForLater: false };
    }
    this.#note(messageOf(error));
    // Any other failure may be the namespace's own, such as a quota.
    return { pauses: isUnavailable(error) ? 'all' : 'lane', isForLater: true };
  }

  #note(problem: string | undefined): void {
    const news = this.#problem.note(problem);
    if (news === 'ended') this.#context.log.info('NamespaceProbes can be written again');
    else if (news === 'began') this.#context.log.warn({ problem }, 'NamespaceProbes cannot be written now');
  }
}
