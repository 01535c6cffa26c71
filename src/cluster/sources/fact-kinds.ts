import { PROBE_EXCEPTIONS } from './exception-kind.ts';
import { SERVICES } from './service-kind.ts';
import { asFactKind } from './fact-kind.ts';
import { STARTUP_PROFILES } from './startup-profile-kind.ts';
import type { FactKind } from './fact-kind.ts';

/** Every kind whose objects are facts, beside Namespaces. */
export const FACT_KINDS: readonly FactKind[] = [
  asFactKind(PROBE_EXCEPTIONS),
  asFactKind(SERVICES),
  asFactKind(STARTUP_PROFILES),
];

/** The kind of an object, if its objects are facts. */
export function factKindOf(apiVersion: unknown, kind: unknown): FactKind | undefined {
  return FACT_KINDS.find((known) => known.kind === kind && known.apiVersion === apiVersion);
}
