import { MirroredKind } from '../client/mirrored-kind.ts';
import { ProjectedObjects } from '../client/projected-objects.ts';
import { BUDGETS, POLICY_BUDGET_BYTES } from '../../engine/policy/policy-budget.ts';
import { NO_FACTS } from '../../engine/facts/facts.ts';
import { FactStore } from './fact-store.ts';
import { NAMESPACE_KIND } from './namespace-kind.ts';
import { NamespaceWaiters } from './namespace-waiters.ts';
import { ObjectLoader } from './object-loader.ts';
import { PolicyMirror } from './policy-mirror.ts';
import { formatSourceProblem } from './policy-source.ts';
import { realTimer } from '../client/timer.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { MissedNamespace } from '../../engine/facts/missed-namespace.ts';
import type { ApiClient } from '../client/api-client.ts';
import type { ClockRandomAndTimer } from '../client/clock-and-random.ts';
import type { KindToMirror } from '../client/mirrored-kind.ts';
import type { ProjectionStore } from '../client/projection.ts';
import type { LabelsOfNamespace } from '../../engine/facts/namespace-labels.ts';
import type { Budget } from '../../engine/policy/policy-budget.ts';
import type { FactCounts, FactListener, LeftOutObject } from './fact-reports.ts';
import type { FactToLoad } from './facts-to-load.ts';
import type { StoreToLoad } from './object-loader.ts';
import type { FactKind, NamedFact } from './fact-kind.ts';
import { POLICY_KINDS } from '../../engine/policy/probe-policy.ts';
import type { PolicyKind } from '../../engine/policy/probe-policy.ts';
import type { PolicyMirrorListener } from './policy-reports.ts';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from './policy-source.ts';
import type { Timer } from '../client/timer.ts';

/** Settings of the source. */
export interface KubernetesSourceOptions {
  /** The name of the source, for people. */
  readonly description?: string;
  /** How long a watch lasts before it is renewed. */
  readonly watchRenewalMilliseconds?: number;
  /** How long changes are gathered before they are put in force together. */
  readonly gatherMilliseconds?: number;
  /** How long to wait for a namespace that is not known yet. */
  readonly namespaceMilliseconds?: number;
  /** Whether any policy in force, wherever it comes from, looks at labels of namespaces other than their name. */
  readonly labelsMatter?: () => boolean;
  /** The kinds of facts to mirror, beside Namespaces. The facts of other kinds are unknown. */
  readonly factKinds?: readonly FactKind[];
  /** Memory that the ProbePolicies of all namespaces together may take, in bytes. */
  readonly policyBudget?: number;
  /** Called with each policy whose status may be stale. */
  readonly status?: PolicyMirrorListener['status'];
  /** The advice about a policy in force, for its status. */
  readonly advice?: PolicyMirrorListener['advice'];
  /** Called when other policies of a namespace are over budget than before. */
  readonly overBudget?: PolicyMirrorListener['overBudget'];
  /** Called when facts of a namespace come to be over a budget, or are within the budgets again. */
  readonly overBudgetFacts?: FactListener['overBudget'];
  /** Called once for each problem of a fact that cannot be read. */
  readonly unreadableFact?: FactListener['unreadable'];
}

/** How many objects of a kind there are. */
export interface ObjectCount {
  /** A kind of policies, Namespace, or a kind of facts. */
  readonly kind: string;
  /**
   * Policies: loaded = the newest version is in force; last-good = an earlier version is; invalid or over-budget = no
   * version is.
   */
  readonly status: 'loaded' | 'last-good' | 'invalid' | 'over-budget';
  readonly count: number;
}

/** How the source is doing. `lastSync` is the earliest last contact of the three collections. */
export interface KubernetesSourceStatus extends SourceStatus {
  readonly objects: readonly ObjectCount[];
}

/** How the budgets of policies are used. */
export interface PolicyBudgetStatus {
  /** Policies whose newest version a budget keeps out of force, by the budget. */
  readonly overBudget: Readonly<Record<Budget, number>>;
  /** Memory that policies in force take of the budget of all namespaces together, in bytes. */
  readonly used: number;
  /** The budget of all namespaces together, in bytes. */
  readonly total: number;
}

/** How the budgets of one kind of facts are used. */
export interface FactBudgetStatus extends FactCounts {
  readonly kind: string;
  /** The budget of all namespaces together, in bytes. */
  readonly total: number;
}

const GATHER_MILLISECONDS = 50;
const NAMESPACE_MILLISECONDS = 500;
/** The most problems that /readyz lists. */
const MAX_PROBLEMS = 100;

/**
 * Policies from a cluster's ProbePolicies and ClusterProbePolicies, and the labels of its namespaces, kept up to date
 * by watches. While the API server is away, the known state stays in force. When a policy cannot be read, its own last
 * good version stays in force, and no other policy is affected: unlike files, objects are written one at a time and by
 * different people.
 */
export class KubernetesSource implements PolicySource {
  readonly #catalogue: CheckCatalogue;
  readonly #description: string;
  readonly #labelsMatter: () => boolean;
  readonly #gatherMilliseconds: number;
  readonly #timer: Timer;
  readonly #policyMirrors: readonly PolicyMirror[];
  readonly #loaders: readonly Pick<ObjectLoader<unknown>, 'wake' | 'loadAll' | 'stop'>[];
  /** Objects that are left out are not waited for: decisions without them are sound. */
  readonly #factLoaders: readonly ObjectLoader<FactToLoad>[];
  readonly #policyBudget: number;
  readonly #namespaces: ProjectedObjects<LabelsOfNamespace>;
  readonly #waiters: NamespaceWaiters;
  readonly #namespaceKind: MirroredKind<LabelsOfNamespace>;
  readonly #factStores: readonly FactStore[];
  readonly #kinds: readonly Pick<MirroredKind<unknown>, 'start' | 'stop' | 'status'>[];
  /** The kinds whose first list the server does not wait for. */
  readonly #optionalKinds: readonly Pick<MirroredKind<unknown>, 'start' | 'stop' | 'status'>[];
  /** Failed requests, by the collection that is mirrored, or by the kind whose objects are loaded. */
  readonly #troubles = new Map<string, string>();
  /** Namespaces that have changed since the last snapshot. */
  readonly #unpublished = new Set<string>();
  /** The parts of the next snapshot; undefined when they have changed since the last one. */
  #policies: PolicySnapshot['policies'] | undefined;
  #facts: PolicySnapshot['facts'] | undefined;
  #labels: PolicySnapshot['facts']['namespaceLabels'] | undefined;
  #listener: SourceListener | undefined;
  #state: 'starting' | 'running' | 'stopped' = 'starting';
  #callOff: (() => void) | undefined;

  constructor(
    catalogue: CheckCatalogue,
    client: ApiClient,
    clock: ClockRandomAndTimer,
    options: KubernetesSourceOptions = {},
  ) {
    this.#catalogue = catalogue;
    this.#description = options.description ?? 'cluster';
    this.#labelsMatter = options.labelsMatter ?? (() => true);
    this.#gatherMilliseconds = options.gatherMilliseconds ?? GATHER_MILLISECONDS;
    this.#timer = clock.timer ?? realTimer;
    this.#policyBudget = options.policyBudget ?? POLICY_BUDGET_BYTES;
    this.#waiters = new NamespaceWaiters(options.namespaceMilliseconds ?? NAMESPACE_MILLISECONDS, this.#timer);
    this.#namespaces = new ProjectedObjects((name) => {
      this.#facts = undefined;
      this.#labels = undefined;
      this.#unpublished.add(name);
      this.#schedule();
    });
    this.#policyMirrors = POLICY_KINDS.map((kind) => this.#policyMirror(kind, options));
    const mirror = <T>(kind: KindToMirror<T>, store: ProjectionStore<T>, updated: () => void): MirroredKind<T> => {
      const listener = { updated, troubled: (problem: string | undefined) => this.#noteTrouble(kind.path, problem) };
      return new MirroredKind(client, kind, store, listener, clock, {
        renewalMilliseconds: options.watchRenewalMilliseconds,
      });
    };
    this.#namespaceKind = mirror(NAMESPACE_KIND, this.#namespaces, () => this.#releaseArrived());
    const { overBudgetFacts: overBudget, unreadableFact: unreadable } = options;
    const changed = (): void => {
      this.#facts = undefined;
      this.#schedule();
    };
    this.#factStores = (options.factKinds ?? []).map(
      (kind) => new FactStore(kind, catalogue, { changed, overBudget, unreadable }),
    );
    const { random } = clock;
    const loader = <What>(store: StoreToLoad<What>, kind: string): ObjectLoader<What> =>
      new ObjectLoader(client, store, this.#timer, random, (problem) => this.#noteTrouble(`load ${kind}`, problem));
    this.#loaders = this.#policyMirrors.map((policies) => loader(policies, policies.kind));
    this.#factLoaders = this.#factStores.map((store) => loader(store, store.kind.kind));
    const factMirrors = (isRequired: boolean): MirroredKind<NamedFact>[] =>
      this.#factStores
        .filter(({ kind }) => kind.isRequired === isRequired)
        .map((store) => mirror(store.kindToMirror, store, () => this.#wakeLoaders()));
    this.#kinds = [
      ...this.#policyMirrors.map((policies) => mirror(policies.kindToMirror, policies, () => this.#wakeLoaders())),
      this.#namespaceKind,
      ...factMirrors(true),
    ];
    this.#optionalKinds = factMirrors(false);
  }

  /** Resolves once all collections have been read, however long the API server is away. Rejects when stopped before. */
  async start(listener: SourceListener): Promise<PolicySnapshot> {
    this.#listener = listener;
    for (const kind of this.#optionalKinds) void kind.start();
    await Promise.all(this.#kinds.map((kind) => kind.start()));
    await Promise.all(this.#loaders.map((loader) => loader.loadAll()));
    if (this.#state === 'stopped') throw new Error('stopped before the policies of the cluster had been read');
    this.#state = 'running';
    for (const loader of [...this.#loaders, ...this.#factLoaders]) loader.wake();
    return this.#snapshot();
  }

  stop(): void {
    this.#state = 'stopped';
    this.#listener = undefined;
    this.#callOff?.();
    for (const kind of [...this.#kinds, ...this.#optionalKinds]) kind.stop();
    for (const loader of [...this.#loaders, ...this.#factLoaders]) loader.stop();
    this.#waiters.giveUp();
  }

  status(): KubernetesSourceStatus {
    const contacts = this.#kinds.map((kind) => kind.status().lastContact ?? NaN);
    const problems = this.#policyMirrors.flatMap((mirror) => mirror.problems(MAX_PROBLEMS)).slice(0, MAX_PROBLEMS);
    const counts = this.#policyMirrors.map((mirror) => [mirror.kind, mirror.counts()] as const);
    const problemCount = counts.reduce((sum, [, { problems: count }]) => sum + count, 0);
    return {
      description: this.#description,
      problems: problems.map(formatSourceProblem),
      problemCount,
      troubles: [...this.#troubles.values()],
      lastSync: this.#state === 'starting' ? undefined : known(Math.min(...contacts)),
      objects: [
        ...counts.flatMap(([kind, { current, lastGood, invalid, without }]) => {
          return [
            { kind, status: 'loaded', count: current },
            { kind, status: 'last-good', count: lastGood },
            { kind, status: 'invalid', count: invalid },
            { kind, status: 'over-budget', count: without },
          ] as const;
        }),
        { kind: 'Namespace', status: 'loaded', count: this.#namespaces.size },
        ...this.#factStores.map(({ kind: { kind }, size }) => ({ kind, status: 'loaded', count: size }) as const),
      ],
    };
  }

  budget(): PolicyBudgetStatus {
    const counts = this.#policyMirrors.map((mirror) => mirror.counts());
    return {
      overBudget: sumByBudget(counts.map(({ overBudget }) => overBudget)),
      // ClusterProbePolicies have no budget, so they count 0.
      used: counts.reduce((sum, { memory }) => sum + memory, 0),
      total: this.#policyBudget,
    };
  }

  /** How the budgets of facts are used, by kind. */
  factBudgets(): readonly FactBudgetStatus[] {
    return this.#factStores.map((store) => ({
      kind: store.kind.kind,
      total: store.kind.limits.total,
      ...store.counts(),
    }));
  }

  /** Objects of a kind of facts that are left out, because of a budget or because they cannot be read. */
  leftOut(kind: string): Iterable<LeftOutObject> {
    return this.#factStores.find((store) => store.kind.kind === kind)?.leftOut() ?? [];
  }

  /**
   * Waits for the labels of a new namespace: its first Pod may come before the watch reports the namespace, or between
   * two watches. Returns undefined when the labels are in force or no policy looks at labels. Otherwise returns a
   * promise that resolves with undefined once the labels are in force, or with the reason why they are missing. Returns
   * `no-room` when too many requests wait. Never rejects.
   *
   * @param client the caller's remote address: callers share the room to wait
   */
  namespaceKnown(name: string, client: string): Promise<MissedNamespace | undefined> | 'no-room' | undefined {
    if (this.#namespaces.has(name)) {
      if (this.#unpublished.has(name)) this.#publish();
      return undefined;
    }
    if (name === '' || this.#state !== 'running' || !this.#labelsMatter()) return undefined;
    return this.#waiters.wait(name, client, () => (this.#namespaceKind.status().watching ? 'timeout' : 'no-contact'));
  }

  #policyMirror(kind: PolicyKind, options: KubernetesSourceOptions): PolicyMirror {
    const listener: PolicyMirrorListener = {
      changed: () => {
        this.#policies = undefined;
        this.#schedule();
      },
      failed: (problems) => this.#listener?.failed(problems),
      warned: (warnings) => this.#listener?.warned?.(warnings),
      overBudget: options.overBudget ?? (() => undefined),
      status: options.status ?? (() => undefined),
      advice: options.advice,
    };
    return new PolicyMirror(this.#catalogue, kind, listener, this.#policyBudget);
  }

  #wakeLoaders(): void {
    if (this.#state === 'running') for (const loader of [...this.#loaders, ...this.#factLoaders]) loader.wake();
  }

  #schedule(): void {
    if (this.#state !== 'running' || this.#callOff !== undefined) return;
    this.#callOff = this.#timer(this.#gatherMilliseconds, () => this.#publish());
  }

  #publish(): void {
    this.#callOff?.();
    if (this.#state === 'running') this.#listener?.changed(this.#snapshot());
  }

  /** Unchanged parts are the same objects as in the snapshot before. */
  #snapshot(): PolicySnapshot {
    this.#callOff = undefined;
    this.#unpublished.clear();
    this.#policies ??= this.#policyMirrors.flatMap((mirror) => mirror.policies());
    this.#facts ??= Object.assign(
      { ...NO_FACTS, namespaceLabels: (this.#labels ??= this.#namespaces.snapshot()) },
      ...this.#factStores.map(({ facts }) => facts),
    ) as PolicySnapshot['facts'];
    return { policies: this.#policies, facts: this.#facts };
  }

  /** Lets requests go on that wait for a namespace that has arrived, once its labels are in force. */
  #releaseArrived(): void {
    for (const name of this.#waiters.names()) {
      if (!this.#namespaces.has(name)) continue;
      if (this.#unpublished.has(name)) this.#publish();
      this.#waiters.arrived(name);
    }
  }

  #noteTrouble(path: string, problem: string | undefined): void {
    const wasInTrouble = this.#troubles.size > 0;
    if (problem === undefined) this.#troubles.delete(path);
    else this.#troubles.set(path, problem);
    if (wasInTrouble !== this.#troubles.size > 0) this.#listener?.troubled?.(problem);
  }
}

function sumByBudget(counts: readonly Readonly<Record<Budget, number>>[]): Record<Budget, number> {
  const sum = (budget: Budget): number => counts.reduce((all, count) => all + count[budget], 0);
  return Object.fromEntries(BUDGETS.map((budget) => [budget, sum(budget)])) as Record<Budget, number>;
}

function known(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
