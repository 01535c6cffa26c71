import { EXCEPTION_LIMITS, NO_LIMITS, PROFILE_LIMITS, SERVICE_LIMITS } from '../../engine/policy/budget.ts';
import { ByNamespace } from '../../engine/facts/by-namespace.ts';
import { profileProblem, readStartupProfile } from '../../engine/facts/read-startup-profile.ts';
import { STARTUP_PROFILE_KIND, type WorkloadStarts } from '../../engine/facts/startup-profile.ts';
import { withoutSeconds, workloadStarts } from '../../engine/facts/read-startup-profile.ts';
import { type ServiceDigest } from '../../engine/facts/services.ts';
import { readServiceOrName } from '../../engine/facts/read-service.ts';
import { objectsAt, textAt, valueAt } from '../../base/json/field-path.ts';
import { parseInstant } from '../../base/text/duration.ts';
import { without, type JsonObject } from '../../base/json/json-value.ts';
import { POLICY_API_VERSION } from '../../engine/policy/object-names.ts';
import { parseProbeException } from '../../engine/policy/read-exception.ts';
import {
  EXCEPTION_KIND,
  exceptionSpec,
  type ProbeException,
  type ReportedStatus,
} from '../../engine/policy/probe-exception.ts';
import { readNamespaceLabels, type Facts, type LabelsOfNamespace } from '../../engine/facts/facts.ts';
import { CHECK_CATALOGUE } from '../../engine/checks/catalogue.ts';
import type { Named, StoredKind } from './object-store.ts';

/** A namespaced kind whose objects are facts: the webhook mirrors it, and commands read it from files and clusters. */
export interface FactKind<T extends Named = Named> extends StoredKind<T> {
  readonly isInStatus?: boolean;
  /** Several objects of files may have one name: files may be for several clusters. Otherwise that is a problem. */
  readonly mayRepeat?: boolean;
  /** Undefined = nothing has been read of the kind, so the facts are unknown. */
  facts(objects: ReadonlyMap<string, readonly T[]> | undefined): Partial<Facts>;
}

export interface KnownNamespace extends Named {
  readonly labels: LabelsOfNamespace;
}

/** Not one of FACT_KINDS, because commands list namespaces only where a policy looks at labels. */
export const NAMESPACES: FactKind<KnownNamespace> = {
  kind: 'Namespace',
  apiVersion: 'v1',
  resource: 'namespaces',
  isRequired: true,
  metadataOnly: true,
  mayRepeat: true,
  read: (object) => {
    const name = textAt(object, 'metadata', 'name');
    if (name === undefined) return { problems: [{ path: ['metadata', 'name'], message: 'must be given' }] };
    return { fact: { name, labels: readNamespaceLabels(valueAt(object, ['metadata', 'labels'])) } };
  },
  limits: NO_LIMITS,
  bytes: () => 0,
  facts: (objects = new Map()) => ({
    namespaceLabels: new Map([...objects.values()].flat().map(({ name, labels }) => [name, labels])),
  }),
};

export const PROBE_EXCEPTIONS: FactKind<ProbeException> = {
  kind: EXCEPTION_KIND,
  apiVersion: POLICY_API_VERSION,
  resource: 'probeexceptions',
  isRequired: true,
  read: (object) => {
    const parsed = parseProbeException(CHECK_CATALOGUE, object);
    if (parsed.problems !== undefined) return parsed;
    return { fact: { ...parsed.exception, ...reportedStatus(object) } };
  },
  limits: EXCEPTION_LIMITS,
  bytes: ({ text }) => Buffer.byteLength(text),
  facts: (objects = new Map()) => ({ exceptions: new ByNamespace(objects) }),
};

export function reportedStatus(exception: object): ReportedStatus {
  const { metadata, status } = exception as JsonObject;
  const isCurrent = valueAt(status, ['observedGeneration']) === valueAt(metadata, ['generation']);
  const lastMatched = textAt(status, 'lastMatched');
  return {
    state: isCurrent ? textAt(status, 'state') : undefined,
    isLimited: objectsAt(status, 'conditions').some((each) => each['type'] === 'Limited' && each['status'] === 'True'),
    lastMatched: lastMatched === undefined ? undefined : parseInstant(lastMatched),
  };
}

/** Without `reason` and `ticket`, the longest texts: no answer and no log line of the webhook has them. */
export const WEBHOOK_EXCEPTIONS: FactKind<ProbeException> = {
  ...PROBE_EXCEPTIONS,
  mirrored: (exception) => {
    const kept = { ...without(exceptionSpec(exception), 'ticket'), reason: '' };
    return { ...exception, text: JSON.stringify(kept) };
  },
};

export const SERVICES: FactKind<ServiceDigest> = {
  kind: 'Service',
  apiVersion: 'v1',
  resource: 'services',
  isRequired: false,
  mayRepeat: true,
  read: (object) => {
    const fact = readServiceOrName(object);
    return fact && { fact };
  },
  mirrored: (service) => (service.isUseless ? undefined : service),
  limits: SERVICE_LIMITS,
  bytes: ({ text }) => Buffer.byteLength(text),
  facts: (objects) => ({ services: objects && new ByNamespace(objects) }),
};

export const STARTUP_PROFILES: FactKind<WorkloadStarts> = {
  kind: STARTUP_PROFILE_KIND,
  apiVersion: POLICY_API_VERSION,
  resource: 'startupprofiles',
  isRequired: false,
  isInStatus: true,
  read: (object) => {
    const problem = profileProblem(object);
    if (problem !== undefined) return { problems: [problem] };
    const name = textAt(object, 'metadata', 'name');
    const profile = readStartupProfile(object);
    return name === undefined || profile === undefined ? undefined : { fact: workloadStarts(name, profile) };
  },
  mirrored: withoutSeconds,
  limits: PROFILE_LIMITS,
  bytes: (starts) => Buffer.byteLength(JSON.stringify(starts)),
  facts: (objects) => (objects === undefined ? {} : { starts: new ByNamespace(objects) }),
};

export const FACT_KINDS: readonly FactKind[] = [PROBE_EXCEPTIONS, SERVICES, STARTUP_PROFILES];
