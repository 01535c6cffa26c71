import type { NamespaceLabels } from './namespace-labels.ts';

/** Facts about the cluster at one moment, in addition to the object and the policies. The value is immutable. */
export interface Facts {
  /** Labels by namespace. A namespace that is missing from the map is unknown or has no labels. */
  readonly namespaceLabels: NamespaceLabels;
}

export const NO_FACTS: Facts = { namespaceLabels: new Map() };
