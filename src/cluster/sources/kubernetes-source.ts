import { NO_FACTS, type Facts } from '../../engine/facts/facts.ts';
import { POLICY_BUDGET_BYTES, type Budget, type PolicyBudget } from '../../engine/policy/budget.ts';
import { EXCEPTION_KIND } from '../../engine/policy/probe-exception.ts';
import { POLICY_KINDS } from '../../engine/policy/probe-policy.ts';
import { realTimer, type Timer } from '../client/timing.ts';
import { NAMESPACES, type FactKind, type KnownNamespace } from './fact-kinds.ts';
import { Informer, type InformerContext, type InformerListener } from './informer.ts';
import { NamespaceWaiters, type MissedNamespace } from './namespace-waiters.ts';
import { InformedPolicies, type PolicyCounts, type PolicyRecord, type PolicyStatuses } from './policy-informer.ts';
import type { Named, StoreCounts } from './object-store.ts';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from './policy-source.ts';

export interface KubernetesSourceOptions {
  readonly description?: string;
  /** Whether any policy in force, wherever it comes from, looks at labels of namespaces other than their name. */
  readonly labelsMatter?: () => boolean;
  readonly factKinds?: readonly FactKind[];
  readonly policyBudget?: number;
  /** Absent: nobody writes statuses of policies. */
  readonly statuses?: PolicyStatuses | undefined;
  /** Takes the exceptions that are left out or gone, for their statuses. */
  readonly exceptions?: Pick<InformerListener<Named>, 'leftOut' | 'gone'> | undefined;
}

export interface PolicyBudgetStatus {
  readonly overBudget: Readonly<Record<PolicyBudget, number>>;
  readonly used: number;
  readonly total: number;
}

export interface FactBudgetStatus extends StoreCounts {
  readonly kind: string;
}

type AnyInformer = Pick<Informer<Named>, 'kind' | 'reflector' | 'stop'>;

/** The facts of a kind, as an informer knows them. */
interface InformedFacts<T extends Named = Named> {
  readonly informer: Informer<T>;
  /** The same value until something changes. */
  readonly facts: () => Partial<Facts>;
}

/** How long changes are gathered before they are put in force together. */
const GATHER_MILLISECONDS = 50;
const MAX_PROBLEMS = 100;

/**
 * Policies and labels of namespaces from a cluster, kept up to date by watches. While the API server is away, the
 * known state stays in force. A policy that cannot be read keeps its own last good version: unlike files, objects are
 * written one at a time and by different people.
 */
export class KubernetesSource implements PolicySource {
  readonly #options: KubernetesSourceOptions;
  readonly #timer: Timer;
  readonly #policyBudget: number;
  readonly #policyKinds: readonly InformedPolicies[];
  readonly #namespaces: InformedFacts<KnownNamespace>;
  /** All but the namespaces. */
  readonly #facts: readonly InformedFacts[];
  readonly #waiters: NamespaceWaiters;
  /** The same value until a policy changes. */
  #policies: PolicySnapshot['policies'] | undefined;
  /** The labels of the last snapshot. */
  #labels = NO_FACTS.namespaceLabels;
  #listener: SourceListener | undefined;
  #state: 'starting' | 'running' | 'stopped' = 'starting';
  #callOff: (() => void) | undefined;

  constructor(context: InformerContext, options: KubernetesSourceOptions = {}) {
    this.#options = options;
    this.#timer = context.timer ?? realTimer;
    const total = (this.#policyBudget = options.policyBudget ?? POLICY_BUDGET_BYTES);
    this.#waiters = new NamespaceWaiters(this.#timer);
    const reports = (kind: string): Pick<InformerListener<Named>, 'overBudget' | 'troubled' | 'unreadable'> => ({
      overBudget: (change) => this.#listener?.overBudget?.(kind, change),
      troubled: (problem) => this.#reportTrouble(problem),
      unreadable: (object) => this.#listener?.unreadable?.(kind, object),
    });
    this.#policyKinds = POLICY_KINDS.map((kind) => {
      const listener = {
        ...reports(kind),
        changed: () => {
          this.#policies = undefined;
          this.#schedule();
        },
        failed: (problems: readonly string[]) => this.#listener?.failed(problems),
        warned: (warnings: readonly string[]) => this.#listener?.warned?.(warnings),
      };
      return new InformedPolicies(context, kind, listener, options.statuses, total);
    });
    const inform = <T extends Named>(kind: FactKind<T>): InformedFacts<T> => {
      let facts: Partial<Facts> | undefined;
      const changed = (): void => {
        facts = undefined;
        this.#schedule();
        this.#releaseArrived();
      };
      const listener = { ...reports(kind.kind), ...(kind.kind === EXCEPTION_KIND && options.exceptions), changed };
      const informer = new Informer(context, kind, listener);
      const { store } = informer;
      return { informer, facts: () => (facts ??= kind.facts(store.isComplete ? store.lists() : undefined)) };
    };
    this.#namespaces = inform(NAMESPACES);
    this.#facts = (options.factKinds ?? []).map((kind) => inform(kind));
  }

  /** Resolves once all collections have been read, however long the API server is away. Rejects when stopped before. */
  async start(listener: SourceListener): Promise<PolicySnapshot> {
    this.#listener = listener;
    // First those that nobody waits for, so that their lists seldom change the first snapshot.
    for (const { kind, reflector } of this.#informers()) if (!kind.isRequired) void reflector.start();
    await Promise.all(this.#required().map(({ reflector }) => reflector.start()));
    if (this.#state === 'stopped') throw new Error('stopped before the policies of the cluster had been read');
    this.#state = 'running';
    return this.#snapshot();
  }

  stop(): void {
    this.#state = 'stopped';
    this.#listener = undefined;
    this.#callOff?.();
    for (const informer of this.#informers()) informer.stop();
    this.#waiters.giveUp();
  }

  status(): SourceStatus {
    const contacts = this.#required().map(({ reflector }) => reflector.status().lastContact ?? NaN);
    const lastSync = this.#state === 'starting' ? NaN : Math.min(...contacts);
    const problems = this.#policyKinds.flatMap((kind) => kind.problems());
    return {
      description: this.#options.description ?? 'cluster',
      problems: problems.slice(0, MAX_PROBLEMS),
      problemCount: this.#sum(({ problems: count }) => count),
      troubles: this.#troubles(),
      lastSync: Number.isNaN(lastSync) ? undefined : lastSync,
    };
  }

  budget(): PolicyBudgetStatus {
    const over = (budget: Budget): number => this.#sum(({ overBudget }) => overBudget[budget]);
    return {
      overBudget: { spec: over('object'), policies: over('objects'), bytes: over('bytes'), total: over('total') },
      // ClusterProbePolicies have no budget.
      used: this.#sum(({ used }, kind) => (kind === 'ProbePolicy' ? used : 0)),
      total: this.#policyBudget,
    };
  }

  factBudgets(): readonly FactBudgetStatus[] {
    return this.#facts.map(({ informer: { kind, store } }) => ({ kind: kind.kind, ...store.counts() }));
  }

  /** The policies that are kept, with what their objects show. */
  policyRecords(): readonly PolicyRecord[] {
    return this.#policyKinds.flatMap(({ informer }) => informer.store.all());
  }

  judgeAll(): void {
    for (const kind of this.#policyKinds) kind.judgeAll();
    for (const { informer } of this.#facts) informer.listAgainIfLeftOut();
  }

  /**
   * Waits for the labels of a new namespace: its first Pod may come before the watch reports the namespace. Undefined
   * when the labels are in force or no policy looks at labels. The promise gives the reason why labels are missing,
   * and never rejects. Callers share the room to wait by remote address.
   */
  namespaceKnown(name: string, client: string): Promise<MissedNamespace | undefined> | 'no-room' | undefined {
    const known = this.#namespaces.informer.store.find('', name);
    if (known !== undefined) {
      // A new snapshot costs milliseconds where there are thousands of namespaces.
      if (known.labels !== this.#labels.get(name)) this.#publish();
      return undefined;
    }
    const { labelsMatter = () => true } = this.#options;
    if (name === '' || this.#state !== 'running' || !labelsMatter()) return undefined;
    return this.#waiters.wait(name, client, () =>
      this.#namespaces.informer.reflector.status().watching ? 'timeout' : 'no-contact',
    );
  }

  #informers(): readonly AnyInformer[] {
    return [...this.#policyKinds, this.#namespaces, ...this.#facts].map(({ informer }) => informer);
  }

  #required(): readonly AnyInformer[] {
    return this.#informers().filter(({ kind }) => kind.isRequired);
  }

  /** Why there is no contact now, for each kind without contact. */
  #troubles(): readonly string[] {
    return this.#informers().flatMap(({ reflector }) => reflector.status().problem ?? []);
  }

  #sum(figure: (counts: PolicyCounts, kind: string) => number): number {
    return this.#policyKinds.reduce((sum, each) => sum + figure(each.counts(), each.kind), 0);
  }

  #schedule(): void {
    if (this.#state !== 'running' || this.#callOff !== undefined) return;
    this.#callOff = this.#timer(GATHER_MILLISECONDS, () => this.#publish());
  }

  #publish(): void {
    this.#callOff?.();
    if (this.#state === 'running') this.#listener?.changed(this.#snapshot());
  }

  /** Unchanged parts are the same objects as in the snapshot before. */
  #snapshot(): PolicySnapshot {
    this.#callOff = undefined;
    this.#policies ??= this.#policyKinds.flatMap((kind) => kind.policies());
    const all = [this.#namespaces, ...this.#facts].map((each) => each.facts());
    const facts = Object.assign({ ...NO_FACTS }, ...all) as Facts;
    this.#labels = facts.namespaceLabels;
    return { policies: this.#policies, facts };
  }

  /** Lets requests go on that wait for a namespace that has arrived, once its labels are in force. */
  #releaseArrived(): void {
    const arrived = this.#waiters.names().filter((name) => this.#namespaces.informer.store.find('', name));
    if (arrived.length > 0) this.#publish();
    for (const name of arrived) this.#waiters.arrived(name);
  }

  /** Reports the first kind that loses contact, and the last that has contact again. */
  #reportTrouble(problem: string | undefined): void {
    if (this.#troubles().length === (problem === undefined ? 0 : 1)) this.#listener?.troubled?.(problem);
  }
}
