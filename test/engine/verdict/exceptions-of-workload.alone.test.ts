import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { exceptionDocument, EXCEPTION_END, parsedException, withExceptionsInApps } from '../../support/exceptions.ts';
import { NOW } from '../../support/now.ts';
import { clusterPolicyDocument, policySet, subjectOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

const CHECKS = ['named-port', 'timeout-over-period', 'required-readiness', 'single-failure'] as const;
const CONTAINERS = ['app', 'worker'] as const;
const KINDS = ['Deployment', 'StatefulSet'] as const;
const NAMES = ['web', 'api'] as const;

interface Target {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

function workload({ namespace, kind, name }: Target): JsonObject {
  const containers = CONTAINERS.map((container) => ({
    name: container,
    image: 'i',
    livenessProbe: { httpGet: { path: '/', port: 'htpp' }, periodSeconds: 1, timeoutSeconds: 5, failureThreshold: 1 },
  }));
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace },
    spec: { template: { metadata: { labels: { app: name } }, spec: { containers } } },
  };
}

function violationsOf(target: Target, policies: Snapshot, now: number): readonly Violation[] {
  return judgeObject(subjectOf(workload(target), target.namespace), policies, true, now).violations;
}

const policies = policySet(clusterPolicyDocument({ checks: { 'required-readiness': { action: 'Deny' } } }));
const some = <T>(values: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...values], { minLength: 1 });
const targets = fc.record({
  namespace: fc.constantFrom('apps', 'shop'),
  kind: fc.constantFrom(...KINDS),
  name: fc.constantFrom(...NAMES),
});
const specs = fc.record(
  {
    checks: some(CHECKS),
    containers: some(CONTAINERS),
    expires: fc.constantFrom('2026-06-30T23:59:59Z', '2026-07-01T00:00:00Z', '2026-07-01T00:00:01Z', EXCEPTION_END),
  },
  { requiredKeys: ['checks', 'expires'] },
);
const selections = fc.oneof(
  fc.record({
    workloads: fc.array(fc.record({ kind: fc.constantFrom(...KINDS), name: fc.constantFrom(...NAMES) }), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  fc.constantFrom(...NAMES).map((app) => ({ workloads: null, workloadSelector: { matchLabels: { app } } })),
);

/** The rule, in other words than the code: does this exception speak of the violation? */
function covers(spec: JsonObject, { namespace, kind, name }: Target, { check, container }: Violation): boolean {
  const { checks, containers, workloads, workloadSelector } = spec as {
    checks: string[];
    containers?: string[];
    workloads: { kind: string; name: string }[] | null;
    workloadSelector?: { matchLabels: { app: string } };
  };
  if (namespace !== 'apps' || !checks.includes(check)) return false;
  if (containers !== undefined && !containers.includes(container)) return false;
  if (workloadSelector !== undefined) return workloadSelector.matchLabels.app === name;
  return (workloads ?? []).some((each) => each.kind === kind && each.name === name);
}

describe('exceptions', () => {
  it('change the action of the violations that they name, until their end, and nothing else', () => {
    let excepted = 0;
    fc.assert(
      fc.property(targets, specs, selections, (target, spec, selection) => {
        const document = exceptionDocument({ ...spec, ...selection });
        const exception = parsedException(document);
        const before = violationsOf(target, policies, NOW);
        const after = violationsOf(target, withExceptionsInApps(policies, [document]), NOW);
        const applied = {
          name: 'legacy',
          owner: 'team-a',
          reason: 'The vendor image has one port.',
          expires: spec.expires,
          isEnding: exception.expires - NOW <= 14 * 24 * 3600_000,
        };
        const expected = before.map((violation) => {
          if (!covers(document['spec'] as JsonObject, target, violation)) return violation;
          if (NOW >= exception.expires) return { ...violation, ended: applied };
          excepted += 1;
          return { ...violation, action: 'Excepted', exception: applied };
        });
        expect(after).toEqual(expected);
      }),
      {
        examples: [
          [
            { namespace: 'apps', kind: 'Deployment', name: 'web' },
            { checks: ['named-port'], expires: EXCEPTION_END },
            { workloads: [{ kind: 'Deployment', name: 'web' }] },
          ],
        ],
      },
    );
    expect(excepted).toBeGreaterThan(0);
  });

  const web = { namespace: 'apps', kind: 'Deployment', name: 'web' };
  const actionsAt = (snapshot: Snapshot, now: number): string[] =>
    violationsOf(web, snapshot, now)
      .filter(({ check, container }) => check === 'named-port' && container === 'app')
      .map(({ action }) => action);

  it('end at their instant: not honoured at it, honoured one millisecond before', () => {
    const snapshot = withExceptionsInApps(policies, [exceptionDocument({ expires: '2026-08-01T02:00:00+02:00' })]);
    const end = Date.parse(EXCEPTION_END);
    expect([end - 1, end, end + 1].map((now) => actionsAt(snapshot, now))).toEqual([['Excepted'], ['Deny'], ['Deny']]);
  });

  it('count within maximumDays of their creation, in an object of a cluster', () => {
    const created = { creationTimestamp: '2026-06-30T00:00:00Z' };
    const strict = policySet(clusterPolicyDocument({ exceptions: { maximumDays: 2 } }));
    const snapshot = withExceptionsInApps(strict, [exceptionDocument({}, created)]);
    const end = Date.UTC(2026, 6, 2);
    expect([end - 1, end].map((now) => actionsAt(snapshot, now))).toEqual([['Excepted'], ['Deny']]);
  });

  it('are ignored, or limited to checks, if a policy says so; a higher layer decides', () => {
    const under = (...settings: JsonObject[]): string[] =>
      actionsAt(
        withExceptionsInApps(
          policySet(
            ...settings.map((exceptions, index) =>
              clusterPolicyDocument({ exceptions, priority: index }, `p${String(index)}`),
            ),
          ),
          [exceptionDocument()],
        ),
        NOW,
      );
    expect({
      ignored: under({ action: 'Ignore' }),
      otherChecks: under({ checks: ['single-failure'] }),
      noChecks: under({ checks: [] }),
      higher: under({ action: 'Ignore', checks: [] }, { action: 'Allow', checks: ['named-port'] }),
      reset: under({ checks: [] }, { checks: null }),
    }).toEqual({
      ignored: ['Deny'],
      otherChecks: ['Deny'],
      noChecks: ['Deny'],
      higher: ['Excepted'],
      reset: ['Excepted'],
    });
  });

  it('may speak of a check with a floor', () => {
    const floored = policySet(clusterPolicyDocument({ checks: { 'named-port': { action: 'Deny', floor: 'Deny' } } }));
    expect(actionsAt(withExceptionsInApps(floored, [exceptionDocument()]), NOW)).toEqual(['Excepted']);
  });

  it('of several, the one that ends last counts', () => {
    const snapshot = withExceptionsInApps(policies, [
      exceptionDocument({ expires: '2026-06-01T00:00:00Z' }, { name: 'a' }),
      exceptionDocument({}, { name: 'b' }),
    ]);
    expect(violationsOf(web, snapshot, NOW).find(({ check }) => check === 'named-port')?.exception?.name).toBe('b');
  });

  it('of many, the one counts that ends last of those that cover the violation', () => {
    const many = fc.array(fc.record({ spec: specs, selection: selections }), { maxLength: 6 });
    fc.assert(
      fc.property(targets, many, (target, each) => {
        const documents = each.map(({ spec, selection }, index) =>
          exceptionDocument({ ...spec, ...selection }, { name: `e-${index}` }),
        );
        const snapshot = withExceptionsInApps(policies, documents);
        for (const violation of violationsOf(target, snapshot, NOW)) {
          const covering = documents
            .filter(({ spec }) => covers(spec as JsonObject, target, violation))
            .map(({ metadata, spec }) => ({
              name: (metadata as { name: string }).name,
              end: Date.parse((spec as { expires: string }).expires),
            }))
            .sort((one, other) => other.end - one.end || (one.name < other.name ? -1 : 1));
          expect((violation.exception ?? violation.ended)?.name).toBe(covering[0]?.name);
        }
      }),
    );
  });

  it('of a namespace take time by their number, and not by exceptions x violations', () => {
    const containers = Array.from({ length: 5000 }, (_, index) => ({ name: `c-${index}`, image: 'i' }));
    const object: JsonObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'apps' },
      spec: { template: { spec: { containers } } },
    };
    const all = policySet(
      clusterPolicyDocument({ checks: { 'required-readiness': { action: 'Deny', containers: 'all' } } }),
    );
    const documents = Array.from({ length: 1000 }, (_, index) =>
      exceptionDocument(
        { checks: ['required-readiness'], containers: Array.from({ length: 20 }, (__, at) => `other-${index}-${at}`) },
        { name: `e-${index}` },
      ),
    );
    const [without, withMany] = [all, withExceptionsInApps(all, documents)].map((snapshot) => {
      judgeObject(subjectOf(object), snapshot, true, NOW);
      const begun = process.cpuUsage().user;
      for (let round = 0; round < 3; round++) judgeObject(subjectOf(object), snapshot, true, NOW);
      return process.cpuUsage().user - begun;
    }) as [number, number];
    // About 2 times with a lookup, and 7 times or more when each violation is compared with each exception.
    expect(withMany / without).toBeLessThan(4.5);
  });
});
