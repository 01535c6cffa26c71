import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { ByNamespace } from '../../src/engine/facts/by-namespace.ts';
import { NO_FACTS } from '../../src/engine/facts/facts.ts';
import { parseProbeException } from '../../src/engine/policy/read-exception.ts';
import type { ProbeException } from '../../src/engine/policy/probe-exception.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

export const EXCEPTION_END = '2026-08-01T00:00:00Z';

/** A ProbeException in namespace apps: named-port of Deployment web until EXCEPTION_END. */
export function exceptionDocument(spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'probewright.dev/v1alpha1',
    kind: 'ProbeException',
    metadata: { name: 'legacy', namespace: 'apps', ...metadata },
    spec: {
      checks: ['named-port'],
      workloads: [{ kind: 'Deployment', name: 'web' }],
      owner: 'team-a',
      reason: 'The vendor image has one port.',
      expires: EXCEPTION_END,
      ...spec,
    },
  };
}

export function parsedException(document: unknown): ProbeException {
  const parsed = parseProbeException(CHECK_CATALOGUE, document);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.exception;
}

/** The snapshot with these exceptions in namespace apps. */
export function withExceptionsInApps(snapshot: Snapshot, documents: readonly unknown[]): Snapshot {
  const exceptions = new ByNamespace(new Map([['apps', documents.map(parsedException)]]));
  return snapshot.withFacts({ ...NO_FACTS, ...snapshot.facts, exceptions });
}
