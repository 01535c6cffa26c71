import { BUILT_IN_CLUSTER_KINDS, discoverKinds } from '../../cluster/sources/cluster-kinds.ts';
import { isReadyMade } from '../../engine/workload/custom-kinds.ts';
import { BUILT_IN_KINDS, workloadKind } from '../../engine/workload/kinds.ts';
import type { ApiRequest, ApiRequests } from '../../cluster/client/api-client.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { WorkloadKind } from '../../engine/workload/kinds.ts';

/** Custom kinds are looked up again after this time, in milliseconds. */
const KNOWN_FOR = 5 * 60_000;

/**
 * Built-in kinds without a next rollout. Probes of a Pod, and the template of a Job, cannot be changed. Nearly all
 * ReplicaSets belong to Deployments, and are many. Nothing makes Pods of a PodTemplate.
 */
const WITHOUT_ROLLOUT = ['Pod', 'Job', 'ReplicaSet', 'PodTemplate'];

/** The kinds of workloads that a review of a policy lists. */
export class ReviewedKinds {
  readonly builtIn: readonly ClusterKind[];
  readonly #client: ApiRequests;
  readonly #custom: readonly WorkloadKind[];
  readonly #monotonic: () => number;
  #found: { readonly kinds: readonly ClusterKind[]; readonly at: number } | undefined;

  constructor(client: ApiRequests, kinds: readonly WorkloadKind[], monotonic: () => number) {
    this.#client = client;
    this.#monotonic = monotonic;
    const isKnown = ({ group, kind }: ClusterKind): boolean => workloadKind(group, kind, kinds) !== undefined;
    this.builtIn = BUILT_IN_CLUSTER_KINDS.filter((kind) => isKnown(kind) && !WITHOUT_ROLLOUT.includes(kind.kind));
    this.#custom = kinds.filter(({ group, kind }) => workloadKind(group, kind, BUILT_IN_KINDS) === undefined);
  }

  /**
   * The custom kinds that the cluster has.
   *
   * @throws when the API server cannot be asked
   */
  async custom(signal: AbortSignal): Promise<readonly ClusterKind[]> {
    if (this.#custom.length === 0) return [];
    const now = this.#monotonic();
    if (this.#found !== undefined && now - this.#found.at < KNOWN_FOR) return this.#found.kinds;
    const client = {
      request: (request: ApiRequest) => this.#client.request({ ...request, signal }),
    };
    const { kinds, problems } = await discoverKinds(client, this.#custom);
    const [problem] = problems;
    if (problem !== undefined) throw new Error(problem);
    this.#found = { kinds, at: now };
    return kinds;
  }

  /**
   * Leaves out a ready-made kind that may not be listed, until kinds are looked up again. The chart grants the kinds of
   * `workloadKinds` only, and the API server sends only these kinds to `/validate`. False for a configured kind, whose
   * right is missing by mistake.
   */
  leaveOut({ group, kind }: ClusterKind): boolean {
    const known = workloadKind(group, kind, this.#custom);
    if (known === undefined || !isReadyMade(known)) return false;
    if (this.#found !== undefined) {
      const { kinds, at } = this.#found;
      this.#found = { kinds: kinds.filter((each) => each.group !== group || each.kind !== kind), at };
    }
    return true;
  }
}
