import { describe, expect, it } from 'vitest';
import {
  FACT_KINDS,
  NAMESPACES,
  PROBE_EXCEPTIONS,
  SERVICES,
  STARTUP_PROFILES,
  WEBHOOK_EXCEPTIONS,
  reportedStatus,
} from '../../../src/cluster/sources/fact-kinds.ts';
import { exceptionSpec } from '../../../src/engine/policy/probe-exception.ts';
import { EXCEPTION_END, exceptionDocument, parsedException } from '../../support/exceptions.ts';
import type { Named, StoredReading } from '../../../src/cluster/sources/object-store.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

function factOf<T extends Named>(reading: StoredReading<T>): T {
  if (reading === undefined || reading.problems !== undefined) throw new Error(JSON.stringify(reading));
  return reading.fact;
}
const of = <T>(...facts: T[]): ReadonlyMap<string, readonly T[]> => new Map([['apps', facts]]);

it('each kind is at its path in the API, and the server waits for those without which a decision would be wrong', () => {
  expect(
    [NAMESPACES, ...FACT_KINDS].map((each) => [
      `${each.apiVersion} ${each.resource} ${each.kind}`,
      [each.isRequired && 'required', each.mayRepeat && 'repeats', each.metadataOnly && 'metadata'].filter(Boolean),
    ]),
  ).toEqual([
    ['v1 namespaces Namespace', ['required', 'repeats', 'metadata']],
    ['probewright.dev/v1alpha1 probeexceptions ProbeException', ['required']],
    ['v1 services Service', ['repeats']],
    ['probewright.dev/v1alpha1 startupprofiles StartupProfile', []],
  ]);
  expect(FACT_KINDS.filter(({ isInStatus }) => isInStatus).map(({ kind }) => kind)).toEqual(['StartupProfile']);
});

describe('a Namespace', () => {
  it('is its name and its labels, but for the label with the name', () => {
    const labels = { 'kubernetes.io/metadata.name': 'apps', tier: 'web' };
    const fact = factOf(NAMESPACES.read({ metadata: { name: 'apps', labels } }));
    expect(fact).toEqual({ name: 'apps', labels: new Map([['tier', 'web']]) });
    expect(NAMESPACES.facts(new Map([['', [fact]]]))).toEqual({ namespaceLabels: new Map([['apps', fact.labels]]) });
    expect([NAMESPACES.bytes(fact), NAMESPACES.facts(undefined)]).toEqual([0, { namespaceLabels: new Map() }]);
  });

  it('without a name is a problem', () =>
    expect(NAMESPACES.read({ metadata: { labels: {} } })).toEqual({
      problems: [{ path: ['metadata', 'name'], message: 'must be given' }],
    }));
});

describe('a ProbeException', () => {
  const status = { observedGeneration: 2, state: 'Active', lastMatched: '2026-06-30T12:00:00Z' };

  it('is what it says, with its status', () => {
    const document = { ...exceptionDocument({}, { generation: 2 }), status };
    const fact = factOf(PROBE_EXCEPTIONS.read(document));
    expect(fact).toEqual({
      ...parsedException(exceptionDocument()),
      state: 'Active',
      isLimited: false,
      lastMatched: Date.UTC(2026, 5, 30, 12),
    });
    expect(PROBE_EXCEPTIONS.bytes({ ...fact, text: 'é' })).toBe(2);
    expect(PROBE_EXCEPTIONS.facts(of(fact)).exceptions?.ofNamespace('apps')).toEqual([fact]);
    expect(PROBE_EXCEPTIONS.facts(undefined).exceptions?.ofNamespace('apps')).toEqual([]);
  });

  it('that cannot be read has all of its problems', () => {
    const { problems } = PROBE_EXCEPTIONS.read(exceptionDocument({ checks: ['no-such-check'], owner: 3 })) ?? {};
    expect(problems).toHaveLength(2);
  });

  it('is kept by the webhook without reason and ticket', () => {
    const fact = parsedException(exceptionDocument({ ticket: 'OPS-1' }));
    const kept = WEBHOOK_EXCEPTIONS.mirrored?.(fact);
    expect(kept && exceptionSpec(kept)).toEqual({
      checks: ['named-port'],
      workloads: [{ kind: 'Deployment', name: 'web' }],
      owner: 'team-a',
      reason: '',
    });
    expect([kept?.name, kept?.expires]).toEqual(['legacy', Date.parse(EXCEPTION_END)]);
  });
});

describe('the status of an exception', () => {
  const statusOf = (status: unknown, generation = 2): object => reportedStatus({ metadata: { generation }, status });

  it('names the state of the newest generation only', () => {
    expect(statusOf({ observedGeneration: 2, state: 'Active' })).toMatchObject({ state: 'Active' });
    expect(statusOf({ observedGeneration: 1, state: 'Active' })).toMatchObject({ state: undefined });
    expect(statusOf(undefined)).toEqual({ state: undefined, isLimited: false, lastMatched: undefined });
  });

  it.each([
    [true, { type: 'Limited', status: 'True' }],
    [false, { type: 'Limited', status: 'False' }],
    [false, { type: 'Ready', status: 'True' }],
  ])('is limited %s with %j among other conditions', (isLimited, condition) => {
    const conditions = [{ type: 'Other', status: 'False' }, condition];
    expect(statusOf({ conditions })).toMatchObject({ isLimited });
  });

  it('says when the exception last matched', () => {
    expect(statusOf({ lastMatched: '2026-06-30T00:00:00Z' })).toMatchObject({ lastMatched: Date.UTC(2026, 5, 30) });
    expect(statusOf({ lastMatched: 'lately' })).toMatchObject({ lastMatched: undefined });
  });
});

describe('a Service', () => {
  const document = { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } };

  it('is its digest, and unknown Services are not no Services', () => {
    const fact = factOf(SERVICES.read(document));
    expect([fact.name, SERVICES.bytes(fact)]).toEqual(['web', Buffer.byteLength(fact.text)]);
    expect(SERVICES.facts(of(fact)).services?.ofNamespace('apps')).toEqual([fact]);
    expect(SERVICES.facts(undefined)).toEqual({ services: undefined });
  });

  it('that selects no Pods is its name for a plan, and a mirror does not keep it', () => {
    const fact = factOf(SERVICES.read({ ...document, spec: { ports: [{ port: 80 }] } }));
    expect([fact.text, fact.isUseless, fact.selectsPods(new Map())]).toEqual(['web', true, false]);
    expect(SERVICES.mirrored?.(fact)).toBeUndefined();
    const useful = factOf(SERVICES.read(document));
    expect(SERVICES.mirrored?.(useful)).toBe(useful);
  });

  it('of another API, or without a name, is none', () => {
    expect(SERVICES.read({ ...document, apiVersion: 'serving.knative.dev/v1' })).toBeUndefined();
    expect(SERVICES.read({ ...document, metadata: { name: 5 } })).toBeUndefined();
  });
});

describe('a StartupProfile', () => {
  const workload = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  const profile = (container: JsonObject, metadata: JsonObject = { name: 'web' }): JsonObject => ({
    metadata,
    status: { workload, containers: [{ name: 'app', ...container }] },
  });
  const sample = { seconds: 12, basis: 'startup', at: '2026-06-30T00:00:00Z', id: 'one' };

  it('is what was measured, and the webhook keeps no single start', () => {
    const fact = factOf(STARTUP_PROFILES.read(profile({ samples: [sample] })));
    expect(fact).toMatchObject({ name: 'web', workload, containers: [{ name: 'app', starts: 1, longestSeconds: 12 }] });
    expect(fact.containers[0]?.seconds).toEqual([12]);
    expect(STARTUP_PROFILES.mirrored?.(fact)?.containers[0]?.seconds).toBeUndefined();
    expect(STARTUP_PROFILES.bytes(fact)).toBe(JSON.stringify(fact).length);
    expect(STARTUP_PROFILES.facts(of(fact)).starts?.ofNamespace('apps')).toEqual([fact]);
    expect(STARTUP_PROFILES.facts(undefined)).toEqual({});
  });

  it('that is too large is a problem, and one without a name or a status is not kept', () => {
    const problems = STARTUP_PROFILES.read(profile({ image: 'x'.repeat(5000) }))?.problems;
    expect(problems).toMatchObject([{ path: ['status', 'containers', 0, 'image'] }]);
    expect(STARTUP_PROFILES.read(profile({}, {}))).toBeUndefined();
    expect(STARTUP_PROFILES.read({ metadata: { name: 'web' } })).toBeUndefined();
  });
});
