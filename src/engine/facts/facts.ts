import { NO_EXCEPTIONS } from './exceptions.ts';
import { NO_LEARNED_STARTS } from './learned-starts.ts';
import { UNKNOWN_SERVICES } from './services.ts';
import type { Exceptions } from './exceptions.ts';
import type { LearnedStarts } from './learned-starts.ts';
import type { NamespaceLabels } from './namespace-labels.ts';
import type { Services } from './services.ts';

/** Facts about the cluster at one moment, in addition to the object and the policies. The value is immutable. */
export interface Facts {
  /** Labels by namespace. A namespace that is missing from the map is unknown or has no labels. */
  readonly namespaceLabels: NamespaceLabels;
  readonly exceptions: Exceptions;
  readonly services: Services;
  /** Learned start times. */
  readonly starts: LearnedStarts;
}

export const NO_FACTS: Facts = {
  namespaceLabels: new Map(),
  exceptions: NO_EXCEPTIONS,
  services: UNKNOWN_SERVICES,
  starts: NO_LEARNED_STARTS,
};

/** Returns the facts of both. Where both know the same object, `above` counts. */
export function mergedFacts(below: Facts, above: Facts): Facts {
  return {
    namespaceLabels: new Map([...below.namespaceLabels, ...above.namespaceLabels]),
    exceptions: below.exceptions.with(above.exceptions),
    services: below.services.with(above.services),
    starts: below.starts.with(above.starts),
  };
}
