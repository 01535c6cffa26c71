import { Reflector } from '../kubernetes/reflector.ts';
import { BUDGETS, POLICY_BUDGET_BYTES } from '../policy/policy-budget.ts';
import { NamespaceMirror } from './namespace-mirror.ts';
import { NamespaceWaiters } from './namespace-waiters.ts';
import { PolicyLoader } from './policy-loader.ts';
import { PolicyMirror } from './policy-mirror.ts';
import { OMITTED_METADATA } from './policy-record.ts';
import { collectionPath } from './policy-reference.ts';
import { formatSourceProblem } from './policy-source.ts';
import { realTimer } from './timer.ts';
import type { MissedNamespace } from '../missed-namespace.ts';
import type { ApiClient } from '../kubernetes/api-client.ts';
import type { Listing, Reflected, ReflectorSurroundings } from '../kubernetes/reflector.ts';
import type { Budget } from '../policy/policy-budget.ts';
import type { PolicyKind } from '../policy/probe-policy.ts';
import type { PolicyMirrorListener } from './policy-mirror.ts';
import type { PolicySnapshot, PolicySource, SourceListener, SourceStatus } from './policy-source.ts';
import type { Timer } from './timer.ts';

/** The rim that the source works with. */
export interface KubernetesSourceSurroundings extends ReflectorSurroundings {
  readonly timer?: Timer;
}

/** How the source is set. */
export interface KubernetesSourceOptions {
  /** What it is, for people. */
  readonly description?: string;
  /** How long a watch lasts before it is renewed. */
  readonly watchRenewalMilliseconds?: number;
  /** How long changes are gathered before they are put in force together. */
  readonly gatherMilliseconds?: number;
  /** How long to wait for a namespace that is not known yet. */
  readonly namespaceMilliseconds?: number;
  /** Whether any policy in force, wherever it comes from, looks at labels of namespaces other than their name. */
  readonly labelsMatter?: () => boolean;
  /** Memory that the ProbePolicies of all namespaces together may take, in bytes. */
  readonly policyBudget?: number;
  /** Told what the status of each policy lacks. */
  readonly status?: PolicyMirrorListener['status'];
  /** Told of the policies of a namespace that are over budget, when they are others than before. */
  readonly overBudget?: PolicyMirrorListener['overBudget'];
}

/** How many objects of a kind there are. */
export interface ObjectCount {
  readonly kind: PolicyKind | 'Namespace';
  /** Policies: loaded = the newest version is in force; last-good = an earlier one is; invalid, over-budget = none is. */
  readonly status: 'loaded' | 'last-good' | 'invalid' | 'over-budget';
  readonly count: number;
}

/** How the source is doing. `lastSync` is when all three of its collections had been heard of. */
export interface KubernetesSourceStatus extends SourceStatus {
  readonly objects: readonly ObjectCount[];
}

/** How the budgets of policies are used. */
export interface PolicyBudgetStatus {
  /** Policies whose newest version is not in force, by the budget that has no room for it. */
  readonly overBudget: Readonly<Record<Budget, number>>;
  /** Memory that policies in force take of the budget of all namespaces together, in bytes. */
  readonly used: number;
  /** That budget, in bytes. */
  readonly total: number;
}

const GATHER_MILLISECONDS = 50;
const NAMESPACE_MILLISECONDS = 500;
const NAMESPACES = '/api/v1/namespaces';
/** /readyz lists so many problems, whoever writes them. */
const MAX_PROBLEMS = 100;

/**
 * Policies from a cluster's ProbePolicies and ClusterProbePolicies, and the labels of its namespaces, kept up to date by watches. What is
 * known stays in force while the API server is away. A policy that cannot be read leaves its own last good version in force and all others
 * alone: unlike files, objects are written one at a time and by different people.
 */
export class KubernetesSource implements PolicySource {
  readonly #description: string;
  readonly #labelsMatter: () => boolean;
  readonly #gatherMilliseconds: number;
  readonly #timer: Timer;
  readonly #policyMirrors: readonly (readonly [PolicyKind, PolicyMirror])[];
  readonly #loaders: readonly PolicyLoader[];
  readonly #policyBudget: number;
  readonly #namespaces: NamespaceMirror;
  readonly #waiters: NamespaceWaiters;
  readonly #namespaceReflector: Reflector;
  readonly #reflectors: readonly Reflector[];
  /** Why there is no contact, by collection. */
  readonly #troubles = new Map<string, string>();
  /** Namespaces that have changed since the last snapshot. */
  readonly #unpublished = new Set<string>();
  /** What the next snapshot says; undefined when it is to be gathered anew. */
  #policies: PolicySnapshot['policies'] | undefined;
  #labels: PolicySnapshot['namespaceLabels'] | undefined;
  #listener: SourceListener | undefined;
  #state: 'starting' | 'running' | 'stopped' = 'starting';
  #callOff: (() => void) | undefined;

  constructor(client: ApiClient, surroundings: KubernetesSourceSurroundings, options: KubernetesSourceOptions = {}) {
    const watch = { renewalMilliseconds: options.watchRenewalMilliseconds };
    this.#description = options.description ?? 'cluster';
    this.#labelsMatter = options.labelsMatter ?? (() => true);
    this.#gatherMilliseconds = options.gatherMilliseconds ?? GATHER_MILLISECONDS;
    this.#timer = surroundings.timer ?? realTimer;
    this.#policyBudget = options.policyBudget ?? POLICY_BUDGET_BYTES;
    this.#waiters = new NamespaceWaiters(options.namespaceMilliseconds ?? NAMESPACE_MILLISECONDS, this.#timer);
    this.#namespaces = new NamespaceMirror((name) => {
      this.#labels = undefined;
      this.#unpublished.add(name);
      this.#schedule();
    });
    const mirrorListener: PolicyMirrorListener = {
      changed: () => {
        this.#policies = undefined;
        this.#schedule();
      },
      failed: (problems) => this.#listener?.failed(problems),
      overBudget: options.overBudget ?? (() => undefined),
      status: options.status ?? (() => undefined),
    };
    this.#policyMirrors = (['ProbePolicy', 'ClusterProbePolicy'] as const).map((kind) => [
      kind,
      new PolicyMirror(kind, mirrorListener, this.#policyBudget),
    ]);
    this.#loaders = this.#policyMirrors.map(
      ([, mirror]) => new PolicyLoader(client, mirror, this.#timer, surroundings.random),
    );
    const load = (): void => {
      if (this.#state === 'running') for (const loader of this.#loaders) loader.wake();
    };
    const reflect = (what: Reflected, mirror: Mirror, after: () => void): Reflector =>
      new Reflector(
        client,
        what,
        {
          listing: () => {
            const listing = mirror.listing();
            return {
              page: (objects) => listing.page(objects),
              end: () => {
                listing.end();
                after();
              },
            };
          },
          applied: (object) => {
            mirror.apply(object);
            after();
          },
          deleted: (object) => {
            mirror.remove(object);
            after();
          },
          troubled: (problem) => {
            this.#noteTrouble(what.path, problem);
          },
        },
        surroundings,
        watch,
      );
    const namespaces = { path: NAMESPACES, metadataOnly: true, omit: ['annotations'] };
    this.#namespaceReflector = reflect(namespaces, this.#namespaces, () => this.#releaseArrived());
    this.#reflectors = [
      ...this.#policyMirrors.map(([kind, mirror]) =>
        reflect({ path: collectionPath(kind), omit: OMITTED_METADATA }, mirror, load),
      ),
      this.#namespaceReflector,
    ];
  }

  /** Resolves once everything has been read, however long the API server is away. Rejects when it is stopped before. */
  async start(listener: SourceListener): Promise<PolicySnapshot> {
    this.#listener = listener;
    await Promise.all(this.#reflectors.map((reflector) => reflector.start()));
    await Promise.all(this.#loaders.map((loader) => loader.loadAll()));
    if (this.#state === 'stopped') throw new Error('stopped before the policies of the cluster had been read');
    this.#state = 'running';
    for (const loader of this.#loaders) loader.wake();
    return this.#snapshot();
  }

  stop(): void {
    this.#state = 'stopped';
    this.#listener = undefined;
    this.#callOff?.();
    for (const reflector of this.#reflectors) reflector.stop();
    for (const loader of this.#loaders) loader.stop();
    this.#waiters.giveUp();
  }

  status(): KubernetesSourceStatus {
    const contacts = this.#reflectors.map((reflector) => reflector.status().lastContact ?? NaN);
    const problems = this.#policyMirrors.flatMap(([, mirror]) => mirror.problems(MAX_PROBLEMS)).slice(0, MAX_PROBLEMS);
    const counts = this.#policyMirrors.map(([kind, mirror]) => [kind, mirror.counts()] as const);
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
      ],
    };
  }

  budget(): PolicyBudgetStatus {
    const counts = this.#policyMirrors.map(([, mirror]) => mirror.counts());
    return {
      overBudget: sumByBudget(counts.map(({ overBudget }) => overBudget)),
      // Policies of the cluster have no budget, and so take none.
      used: counts.reduce((sum, { memory }) => sum + memory, 0),
      total: this.#policyBudget,
    };
  }

  /**
   * A Pod may come right behind its new namespace, and faster than the watch; or between two watches, when nothing is told of new namespaces.
   * Undefined when the namespace's labels are in force or cannot matter. Otherwise a promise that resolves with undefined when they are in
   * force, or with why they are not to be had; `no-room` at once when too many are waited for. Never rejects.
   *
   * @param client who asks, by remote address: clients share the room to wait
   */
  namespaceKnown(name: string, client: string): Promise<MissedNamespace | undefined> | 'no-room' | undefined {
    if (this.#namespaces.has(name)) {
      if (this.#unpublished.has(name)) this.#publish();
      return undefined;
    }
    if (name === '' || this.#state !== 'running' || !this.#labelsMatter()) return undefined;
    return this.#waiters.wait(name, client, () =>
      this.#namespaceReflector.status().watching ? 'timeout' : 'no-contact',
    );
  }

  #schedule(): void {
    if (this.#state !== 'running' || this.#callOff !== undefined) return;
    this.#callOff = this.#timer(this.#gatherMilliseconds, () => this.#publish());
  }

  #publish(): void {
    this.#callOff?.();
    if (this.#state === 'running') this.#listener?.changed(this.#snapshot());
  }

  /** What did not change is the same array or map as before. */
  #snapshot(): PolicySnapshot {
    this.#callOff = undefined;
    this.#unpublished.clear();
    this.#policies ??= this.#policyMirrors.flatMap(([, mirror]) => mirror.policies());
    this.#labels ??= this.#namespaces.labels();
    return { policies: this.#policies, namespaceLabels: this.#labels };
  }

  /** Those who wait for a namespace that has come go on when its labels are in force. */
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

interface Mirror {
  listing(): Listing;
  apply(object: { readonly metadata: { readonly name: string } }): void;
  remove(object: { readonly metadata: { readonly name: string } }): void;
}

function known(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
