import { KNOWN_KINDS, groupOfVersion, workloadKind } from '../../src/engine/workload/kinds.ts';
import type { ObservedKind } from '../../src/observer/observed-workload.ts';

/** A known kind, as a cluster serves it. */
export function observedKind(apiVersion: string, kind: string): ObservedKind {
  const group = groupOfVersion(apiVersion);
  const templates = workloadKind(group, kind, KNOWN_KINDS);
  if (templates === undefined) throw new Error(`no kind ${apiVersion} ${kind}`);
  const resource = `${kind.toLowerCase()}s`;
  return { served: { group, apiVersion, kind, resource, names: [resource], isNamespaced: true }, templates };
}

export const DEPLOYMENT = observedKind('apps/v1', 'Deployment');
