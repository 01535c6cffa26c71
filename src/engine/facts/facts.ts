import { stringMap } from '../../base/json/json-value.ts';
import { EXCEPTION_KIND, type ProbeException } from '../policy/probe-exception.ts';
import { NAMESPACE_NAME_LABEL } from '../policy/policy-set.ts';
import { ByNamespace } from './by-namespace.ts';
import type { WorkloadStarts } from './startup-profile.ts';
import type { ServiceDigest } from './services.ts';

/** Facts about the cluster at one moment, in addition to the object and the policies. The value is immutable. */
export interface Facts {
  /** Labels by namespace. A namespace that is missing from the map is unknown or has no labels. */
  readonly namespaceLabels: ReadonlyMap<string, LabelsOfNamespace>;
  readonly exceptions: ByNamespace<ProbeException>;
  readonly services: ByNamespace<ServiceDigest> | undefined;
  readonly starts: ByNamespace<WorkloadStarts>;
}

/** The labels of a namespace. The label that repeats the namespace's name may be missing, because policies add it. */
export type LabelsOfNamespace = ReadonlyMap<string, string>;

export const NO_FACTS: Facts = {
  namespaceLabels: new Map(),
  exceptions: new ByNamespace(new Map()),
  services: undefined,
  starts: new ByNamespace(new Map()),
};

/** Returns the facts of both. Where both know the same object, `above` counts. */
export function mergedFacts(below: Facts, above: Facts): Facts {
  return {
    namespaceLabels: new Map([...below.namespaceLabels, ...above.namespaceLabels]),
    exceptions: below.exceptions.with(above.exceptions),
    services:
      above.services && below.services ? below.services.with(above.services) : (above.services ?? below.services),
    starts: below.starts.with(above.starts),
  };
}

/** An exception as messages and `--remove` name it: `ProbeException/apps/legacy`. */
export function exceptionSource(namespace: string, name: string): string {
  return `${EXCEPTION_KIND}/${namespace}/${name}`;
}

const NO_LABELS: LabelsOfNamespace = new Map();

/** Reads `metadata.labels` of a Namespace: texts only, without the label that repeats the name. */
export function readNamespaceLabels(labels: unknown): LabelsOfNamespace {
  const read = stringMap({ labels }, 'labels');
  read.delete(NAMESPACE_NAME_LABEL);
  return read.size === 0 ? NO_LABELS : read;
}
