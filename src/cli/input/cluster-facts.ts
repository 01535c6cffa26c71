import { formatProblem } from '../../engine/policy/problems.ts';
import { POLICY_GROUP } from '../../cluster/sources/cluster-kinds.ts';
import { clusterPlace } from './cluster-object.ts';
import { CollectedFacts } from '../../cluster/sources/fact-documents.ts';
import { FACT_KINDS } from '../../cluster/sources/fact-kinds.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { FactKind } from '../../cluster/sources/fact-kind.ts';
import type { FileProblem } from '../../cluster/sources/policy-documents.ts';
import type { ClusterReading } from './cluster-reading.ts';

/** The facts of a cluster, and what could not be read. */
export class ClusterFacts extends CollectedFacts {
  readonly problems: FileProblem[] = [];
  readonly warnings: FileProblem[] = [];
  /** The objects as the cluster has them, if they are kept. */
  readonly objects: JsonObject[] = [];
  readonly #keepsObjects: boolean;

  constructor(keepsObjects = false) {
    super();
    this.#keepsObjects = keepsObjects;
  }

  /**
   * One step for each kind of facts, beside Namespaces. Each list is read page by page, and digests are kept.
   *
   * @param hasOwnKinds the cluster serves kinds of Probewright. A kind that the cluster lacks has no objects
   */
  steps(catalogue: CheckCatalogue, reading: ClusterReading, hasOwnKinds: boolean): (() => Promise<void>)[] {
    return FACT_KINDS.filter(({ group }) => hasOwnKinds || group !== POLICY_GROUP).map(
      (kind) => () => this.#read(catalogue, reading, kind),
    );
  }

  async #read(catalogue: CheckCatalogue, reading: ClusterReading, kind: FactKind): Promise<void> {
    const unread = (): number => reading.problems.length + reading.missingRights.length;
    const before = unread();
    const listed = { ...kind, isNamespaced: true, mayBeMissing: true, isOptional: !kind.isRequired };
    const objects = await reading.list(listed, (object) => {
      const json = object as unknown as JsonObject;
      // Lists leave out version and kind of their items.
      if (this.#keepsObjects) this.objects.push({ ...json, apiVersion: kind.apiVersion, kind: kind.kind });
      const read = kind.read(json, catalogue);
      return read === undefined ? undefined : { read, metadata: object.metadata };
    });
    // A list that cannot be read leaves the facts unknown.
    if (unread() === before) this.addKind(kind);
    for (const { read, metadata } of objects) {
      const place = { file: clusterPlace({ metadata }, kind), line: 1, column: 1 };
      if ('problems' in read)
        for (const problem of read.problems) this.problems.push({ ...place, message: formatProblem(problem) });
      else {
        this.add(kind, metadata.namespace ?? '', read.fact);
        for (const warning of read.warnings ?? []) this.warnings.push({ ...place, message: formatProblem(warning) });
      }
    }
  }
}
