import { isDeepStrictEqual } from 'node:util';
import { readNamespaceLabels, type LabelsOfNamespace } from '../../engine/facts/facts.ts';
import { NO_LIMITS } from '../../engine/policy/budget.ts';
import { formatProblem } from '../../engine/policy/reader.ts';
import type { JsonObject } from '../../base/json/json-value.ts';
import type { CheckCatalogue } from '../../engine/policy/check-catalogue.ts';
import type { FactKind } from './fact-kinds.ts';
import type { InformedKind } from './informer.ts';
import type { Named } from './stored-kind.ts';

/** A kind of facts as it is mirrored. */
export function informedFactKind(kind: FactKind, catalogue: CheckCatalogue): InformedKind<Named> {
  const { group, apiVersion, resource, limits, bytes, created } = kind;
  return {
    path: `${group === '' ? '/api' : '/apis'}/${apiVersion}/${resource}`,
    limits,
    ...(created && { createdOf: (fact: Named) => created(fact) ?? 0 }),
    sizeOf: (fact) => ({ bytes: bytes(fact), memory: bytes(fact) }),
    read: (object, before) => {
      const reading = kind.read(object as unknown as JsonObject, catalogue);
      if (reading === undefined) return undefined;
      if ('problems' in reading) {
        const [problem] = reading.problems;
        return { problem: problem === undefined ? 'cannot be read' : formatProblem(problem) };
      }
      const fact = kind.mirrored?.(reading.fact) ?? reading.fact;
      return { entry: before !== undefined && isDeepStrictEqual(before, fact) ? before : fact };
    },
  };
}

/** A namespace: only its labels are asked for and kept. */
export interface KnownNamespace extends Named {
  readonly labels: LabelsOfNamespace;
}

export const NAMESPACE_KIND: InformedKind<KnownNamespace> = {
  path: '/api/v1/namespaces',
  metadataOnly: true,
  limits: NO_LIMITS,
  sizeOf: () => ({ bytes: 0, memory: 0 }),
  read: ({ metadata: { name, labels: given } }, before) => {
    const labels = readNamespaceLabels(given);
    return { entry: before !== undefined && isDeepStrictEqual(before.labels, labels) ? before : { name, labels } };
  },
};
