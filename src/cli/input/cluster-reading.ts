import { groupOfVersion } from '../../engine/workload/kinds.ts';
import { hasCode, type ApiClient } from '../../cluster/client/api-client.ts';
import { objectPath, type ApiCollection } from '../../cluster/client/api-path.ts';
import { isKubernetesObject, type KubernetesObject } from '../../cluster/client/kubernetes-object.ts';
import { withoutManagedFields } from '../../cluster/client/paged-list.ts';
import { formatProblem } from '../../engine/policy/reader.ts';
import { listLive, refusal, resourceOf, scopeWords } from '../../cluster/client/live-reader.ts';
import type { ClusterKind } from '../../cluster/sources/cluster-kinds.ts';
import type { ClusterKinds } from '../../cluster/sources/discovery.ts';
import { CollectedFacts, type FileProblem } from '../../cluster/sources/policy-documents.ts';
import { readObserverReport, REPORT_APIS, type ReportOfWorkload } from '../../cluster/sources/observer-reports.ts';
import { clusterPlace, clusterProblem } from './cluster-object.ts';
import { workloadState, type WorkloadState } from '../../observer/failing/workload-waits.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { FactKind } from '../../cluster/sources/fact-kinds.ts';

type ReadableKind = ApiCollection & {
  /** The cluster may lack the kind, and then has no objects of the kind. */
  readonly mayBeMissing?: boolean;
  /** The status of the objects is needed. */
  readonly isInStatus?: boolean;
  /** The kind of workloads whose status tells about Pods that are not there. */
  readonly workloadKind?: string;
  /** Without the right to read the kind, the rest is shown, and the missing right is a warning. */
  readonly isOptional?: boolean;
};

/** A kind whose objects are listed as manifests. */
export type ListedKind = ClusterKind & ReadableKind;

/** A list is begun again so often when its later pages have expired. */
const MOST_LISTS = 3;

/** Reads objects of a cluster. What cannot be read becomes a problem, and everything else is read. */
export class ClusterReading {
  readonly problems: FileProblem[] = [];
  /** Optional kinds that the user may not read. */
  readonly missingRights: FileProblem[] = [];
  /** What the statuses of workloads tell. The statuses themselves are dropped. */
  readonly states: WorkloadState[] = [];
  readonly #client: ApiClient;
  readonly #namespace: string | undefined;

  /** @param namespace undefined = all namespaces */
  constructor(client: ApiClient, namespace: string | undefined) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /**
   * Reads all objects of a kind in the scope. Each page is handed to `take` and dropped.
   *
   * @param take what is kept of an object
   * @returns undefined, after a problem, when the objects cannot be read
   */
  async list<T>(
    kind: ReadableKind,
    take: (object: KubernetesObject) => T | undefined,
  ): Promise<readonly T[] | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      const kept: T[] = [];
      const keep = (items: readonly KubernetesObject[]): void => {
        for (const item of items) {
          this.#keepState(item, kind);
          const part = take(item);
          if (part !== undefined) kept.push(part);
        }
      };
      const request = { dropsStatus: kind.isInStatus !== true && kind.workloadKind === undefined };
      const unread = await listLive(this.#client, kind, this.#namespace, keep, request);
      if (unread === undefined) return kept;
      if (hasCode(unread.error, 410) && attempt < MOST_LISTS) continue;
      if (kind.mayBeMissing === true && hasCode(unread.error, 404)) return [];
      this.#refused(kind, refusal(unread.what, unread.error), unread.error);
      return undefined;
    }
  }

  /** Reads one object. Undefined, after a problem, when the object cannot be read. */
  async get(kind: ReadableKind, name: string): Promise<KubernetesObject | undefined> {
    const what = `${resourceOf(kind)} "${name}" ${scopeWords(this.#namespace, kind)}`;
    const path = objectPath(kind, { namespace: this.#namespace, name });
    try {
      const object = await this.#client.request({ method: 'GET', path });
      if (!isKubernetesObject(object)) throw new Error('the answer is no object');
      this.#keepState(object, kind);
      return Object.assign(withoutManagedFields(object), { status: null });
    } catch (error) {
      const isMissing = hasCode(error, 404);
      this.#refused(kind, isMissing ? `${what} does not exist` : refusal(`cannot get ${what}`, error), error);
      return undefined;
    }
  }

  #keepState(object: KubernetesObject, { apiVersion, workloadKind }: ReadableKind): void {
    if (workloadKind === undefined) return;
    const state = workloadState(object as unknown as JsonObject, groupOfVersion(apiVersion), workloadKind);
    if (state !== undefined) this.states.push(state);
    Object.assign(object, { status: null });
  }

  #refused(kind: ReadableKind, message: string, error: unknown): void {
    const isMissingRight = kind.isOptional === true && hasCode(error, 403);
    (isMissingRight ? this.missingRights : this.problems).push(clusterProblem(message));
  }
}

/** The facts of a cluster, and what could not be read. */
export class ClusterFacts extends CollectedFacts {
  readonly problems: FileProblem[] = [];
  /** The objects as the cluster has them. */
  readonly objects: JsonObject[] = [];

  /** Reads a kind of facts page by page. Digests are kept, and the objects if they are wanted. */
  async read(reading: ClusterReading, kind: FactKind, keepsObjects: boolean): Promise<void> {
    const listed = { ...kind, isNamespaced: true, mayBeMissing: true, isOptional: !kind.isRequired };
    const digests = await reading.list(listed, (object) => {
      const json = object as unknown as JsonObject;
      // Lists leave out version and kind of their items.
      if (keepsObjects) this.objects.push({ ...json, apiVersion: kind.apiVersion, kind: kind.kind });
      const read = kind.read(json);
      return read && { read, metadata: object.metadata };
    });
    // A list that cannot be read leaves the facts unknown.
    if (digests !== undefined) this.addKind(kind);
    for (const { read, metadata } of digests ?? []) {
      const place = { file: clusterPlace({ metadata }, kind), line: 1, column: 1 };
      if (read.problems !== undefined)
        for (const problem of read.problems) this.problems.push({ ...place, message: formatProblem(problem) });
      else this.add(kind, metadata.namespace ?? '', read.fact);
    }
  }
}

/**
 * Reads what an observer has reported about live Pods. A cluster without the report APIs has no reports, and a missing
 * right to read reports is a warning: verdicts do not depend on reports.
 */
export async function readObserverReports(
  { groups }: ClusterKinds,
  reading: ClusterReading,
): Promise<readonly ReportOfWorkload[]> {
  const observed: ReportOfWorkload[] = [];
  for (const { apiVersion, kind, resource } of REPORT_APIS) {
    // Without the right to list, the API server answers 403 for missing kinds too.
    if (groups !== undefined && groups.get(groupOfVersion(apiVersion))?.includes(apiVersion) !== true) continue;
    const listed = { apiVersion, resource, isNamespaced: true };
    const found = await reading.list({ ...listed, mayBeMissing: true, isOptional: true }, (object) =>
      // Lists may leave out version and kind of their items.
      readObserverReport({ ...(object as unknown as JsonObject), apiVersion, kind }),
    );
    observed.push(...(found ?? []));
  }
  return observed;
}
