import { memoryOfText, SERVICE_LIMITS } from '../../engine/facts/fact-budget.ts';
import { KnownServices, readService, UNKNOWN_SERVICES } from '../../engine/facts/services.ts';
import type { ServiceDigest } from '../../engine/facts/services.ts';
import type { FactKind } from './fact-kind.ts';

/** Services that select Pods. */
export const SERVICES: FactKind<ServiceDigest> = {
  kind: 'Service',
  group: '',
  apiVersion: 'v1',
  resource: 'services',
  omit: ['annotations', 'labels', 'ownerReferences'],
  isRequired: false,
  mayRepeat: true,
  read: (object) => {
    const fact = readService(object);
    return fact && { fact };
  },
  limits: SERVICE_LIMITS,
  bytes: ({ text }) => memoryOfText(text),
  facts: (objects) => ({ services: objects === undefined ? UNKNOWN_SERVICES : new KnownServices(objects) }),
};
