import { NO_FACTS, type Facts, type MissedNamespace } from '../../engine/facts/facts.ts';
import { POLICY_BUDGET_BYTES, type Budget, type PolicyBudget } from '../../engine/policy/budget.ts';
import { POLICY_KINDS } from '../../engine/policy/probe-policy.ts';
import { realTimer, type ClockRandomAndTimer, type Timer } from '../client/timing.ts';
import { NAMESPACES, type FactKind } from './fact-kinds.ts';
import { Informer, informedFactKind, type InformerListener } from './informer.ts';
import { NamespaceWaiters } from './namespace-waiters.ts';
import { PolicyInformer, type PolicyCounts, type PolicyListener, type PolicyStatuses } from './policy-informer.ts';
import { formatSourceProblem } from './policy-source.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { CheckCatalogue } from '../../engine/policy/check-parameters.ts';
import type { Named, OverBudgetChange, StoreCounts } from './object-store.ts';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from './policy-source.ts';

export interface KubernetesSourceOptions {
  readonly description?: string;
  readonly watchRenewalMilliseconds?: number;
  /** Whether any policy in force, wherever it comes from, looks at labels of namespaces other than their name. */
  readonly labelsMatter?: () => boolean;
  readonly factKinds?: readonly FactKind[];
  readonly policyBudget?: number;
  /** Absent: nobody writes statuses of policies. */
  readonly statuses?: PolicyStatuses | undefined;
  /** Called when objects of a kind come to be over a budget, or are within the budgets again. */
  readonly overBudget?: (kind: string, change: OverBudgetChange) => void;
  readonly factListener?: (kind: string) => FactListener;
}

type FactListener = Pick<InformerListener<Named>, 'unreadable' | 'leftOut' | 'gone'>;

export interface PolicyBudgetStatus {
  readonly overBudget: Readonly<Record<PolicyBudget, number>>;
  readonly used: number;
  readonly total: number;
}

export interface FactBudgetStatus extends StoreCounts {
  readonly kind: string;
  readonly total: number;
}

interface InformedFacts {
  readonly kind: FactKind;
  readonly informer: Informer<Named>;
  /** The same value until something changes. */
  facts: Partial<Facts> | undefined;
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
  readonly #policyKinds: readonly PolicyInformer[];
  readonly #namespaces: InformedFacts;
  readonly #factKinds: readonly InformedFacts[];
  readonly #waiters: NamespaceWaiters;
  readonly #troubles = new Map<string, string>();
  readonly #unpublished = new Set<string>();
  /** The parts of the next snapshot; undefined when they have changed since the last one. */
  #policies: PolicySnapshot['policies'] | undefined;
  #facts: PolicySnapshot['facts'] | undefined;
  #listener: SourceListener | undefined;
  #state: 'starting' | 'running' | 'stopped' = 'starting';
  #callOff: (() => void) | undefined;

  constructor(
    catalogue: CheckCatalogue,
    client: ApiClient,
    clock: ClockRandomAndTimer,
    options: KubernetesSourceOptions = {},
  ) {
    this.#options = options;
    this.#timer = clock.timer ?? realTimer;
    const total = (this.#policyBudget = options.policyBudget ?? POLICY_BUDGET_BYTES);
    this.#waiters = new NamespaceWaiters(this.#timer);
    const context = { ...clock, client, watchRenewal: options.watchRenewalMilliseconds };
    const reports = (kind: string): Pick<PolicyListener, 'overBudget' | 'troubled'> => ({
      overBudget: (change) => options.overBudget?.(kind, change),
      troubled: (problem) => this.#noteTrouble(kind, problem),
    });
    this.#policyKinds = POLICY_KINDS.map((kind) => {
      const listener: PolicyListener = {
        ...reports(kind),
        changed: () => {
          this.#policies = undefined;
          this.#schedule();
        },
        failed: (problems) => this.#listener?.failed(problems),
        warned: (warnings) => this.#listener?.warned?.(warnings),
        statuses: options.statuses,
      };
      return new PolicyInformer(context, catalogue, kind, listener, total);
    });
    const inform = (kind: FactKind, events: Partial<InformerListener<Named>>): InformedFacts => {
      const changed = (): void => {
        informed.facts = this.#facts = undefined;
        this.#schedule();
        this.#releaseArrived();
      };
      const listener = { ...reports(kind.kind), ...events, changed };
      const informer = new Informer(context, informedFactKind(kind, catalogue), listener);
      const informed: InformedFacts = { kind, informer, facts: undefined };
      return informed;
    };
    this.#namespaces = inform(NAMESPACES, { kept: ({ name }) => this.#unpublished.add(name) });
    this.#factKinds = (options.factKinds ?? []).map((kind) => inform(kind, options.factListener?.(kind.kind) ?? {}));
  }

  /** Resolves once all collections have been read, however long the API server is away. Rejects when stopped before. */
  async start(listener: SourceListener): Promise<PolicySnapshot> {
    this.#listener = listener;
    for (const { kind, informer } of this.#factKinds) if (!kind.isRequired) void informer.start();
    await Promise.all(this.#required().map((informer) => informer.start()));
    if (this.#state === 'stopped') throw new Error('stopped before the policies of the cluster had been read');
    this.#state = 'running';
    return this.#snapshot();
  }

  stop(): void {
    this.#state = 'stopped';
    this.#listener = undefined;
    this.#callOff?.();
    for (const informer of [...this.#required(), ...this.#factKinds.map((each) => each.informer)]) informer.stop();
    this.#waiters.giveUp();
  }

  status(): SourceStatus {
    const contacts = this.#required().map((informer) => informer.status().lastContact ?? NaN);
    const lastSync = this.#state === 'starting' ? NaN : Math.min(...contacts);
    const problems = this.#policyKinds.flatMap((kind) => kind.problems(MAX_PROBLEMS)).slice(0, MAX_PROBLEMS);
    return {
      description: this.#options.description ?? 'cluster',
      problems: problems.map(formatSourceProblem),
      problemCount: this.#sum(({ problems: count }) => count),
      troubles: [...this.#troubles.values()],
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
    return this.#factKinds.map(({ kind: { kind, limits }, informer }) => {
      return { kind, total: limits.total, ...informer.store.counts() };
    });
  }

  judgeAll(): void {
    for (const kind of this.#policyKinds) kind.judgeAll();
    for (const { informer } of this.#factKinds) informer.listAgainIfLeftOut();
  }

  /**
   * Waits for the labels of a new namespace: its first Pod may come before the watch reports the namespace. Undefined
   * when the labels are in force or no policy looks at labels. The promise gives the reason why labels are missing,
   * and never rejects. Callers share the room to wait by remote address.
   */
  namespaceKnown(name: string, client: string): Promise<MissedNamespace | undefined> | 'no-room' | undefined {
    if (this.#isKnown(name)) {
      if (this.#unpublished.has(name)) this.#publish();
      return undefined;
    }
    const { labelsMatter = () => true } = this.#options;
    if (name === '' || this.#state !== 'running' || !labelsMatter()) return undefined;
    return this.#waiters.wait(name, client, () =>
      this.#namespaces.informer.status().watching ? 'timeout' : 'no-contact',
    );
  }

  #required(): readonly Pick<Informer<Named>, 'start' | 'stop' | 'status'>[] {
    return [
      ...this.#policyKinds.map(({ informer }) => informer),
      ...[this.#namespaces, ...this.#factKinds].filter(({ kind }) => kind.isRequired).map(({ informer }) => informer),
    ];
  }

  #sum(figure: (counts: PolicyCounts, kind: string) => number): number {
    return this.#policyKinds.reduce((sum, each) => sum + figure(each.counts(), each.kind), 0);
  }

  #isKnown(namespace: string): boolean {
    return this.#namespaces.informer.store.find('', namespace) !== undefined;
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
    this.#unpublished.clear();
    this.#policies ??= this.#policyKinds.flatMap((kind) => kind.policies());
    const facts = [this.#namespaces, ...this.#factKinds].map((each) => (each.facts ??= factsOf(each)));
    this.#facts ??= Object.assign({ ...NO_FACTS }, ...facts) as PolicySnapshot['facts'];
    return { policies: this.#policies, facts: this.#facts };
  }

  /** Lets requests go on that wait for a namespace that has arrived, once its labels are in force. */
  #releaseArrived(): void {
    for (const name of this.#waiters.names()) {
      if (!this.#isKnown(name)) continue;
      if (this.#unpublished.has(name)) this.#publish();
      this.#waiters.arrived(name);
    }
  }

  #noteTrouble(kind: string, problem: string | undefined): void {
    const wasInTrouble = this.#troubles.size > 0;
    if (problem === undefined) this.#troubles.delete(kind);
    else this.#troubles.set(kind, problem);
    if (wasInTrouble !== this.#troubles.size > 0) this.#listener?.troubled?.(problem);
  }
}

function factsOf({ kind, informer: { store } }: InformedFacts): Partial<Facts> {
  return kind.facts(store.isComplete ? store.lists() : undefined);
}
