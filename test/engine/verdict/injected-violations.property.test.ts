import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { ACTIONS } from '../../../src/engine/policy/action.ts';
import { judgeObject } from '../../../src/engine/verdict/judge.ts';
import { POD_KIND } from '../../../src/engine/workload/kinds.ts';
import { readPod } from '../../../src/engine/workload/read-pod.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { anyPod } from '../../support/arbitraries.ts';
import { clusterDocument, namespaceDocument } from '../../robustness/random-worlds.ts';
import {
  clusterPolicyDocument,
  deploymentOf,
  policyDocument,
  policyForPod,
  policySet,
  subjectOf,
  effectiveTemplate,
} from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import { runs } from '../../support/runs.ts';
import { describeVerdicts } from '../../support/verdict-cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
import type { Snapshot } from '../../../src/engine/facts/snapshot.ts';
import type { Violation } from '../../../src/engine/checks/violation.ts';

/** A policy that gives most Pods probes with numbers that checks object to. */
const giving = policyDocument(
  {
    containers: ['*'],
    kubernetesProbeEndpoints: { livenessProbe: '/ready', readinessProbe: '/ready' },
    probes: { livenessProbe: { timeoutSeconds: 20, periodSeconds: 5, failureThreshold: 1 } },
  },
  '0',
);

/** For every namespace, workload and container, with an action for the checks that `giving` violates. */
const platform = fc
  .tuple(clusterDocument, fc.constantFrom('Audit', 'Warn', 'Deny'), fc.option(fc.constantFrom('Audit', 'Warn')))
  .map(([document, action, floor]) => {
    const left = ['namespaceSelector', 'workloadSelector', 'containers', 'priority'];
    const spec = Object.fromEntries(
      Object.entries(document['spec'] as JsonObject).filter(([field]) => !left.includes(field)),
    );
    const checks = Object.fromEntries(
      ['timeout-over-period', 'shared-endpoint', 'dependency-liveness'].map((id) => [
        id,
        { action, ...(floor !== null && { floor }) },
      ]),
    );
    return { ...document, spec: { ...spec, checks: checks } };
  });
/** Policies of the namespace that only give probes: a team that sets actions itself needs no injection. */
const team = namespaceDocument.map((document) => {
  const spec = { ...(document['spec'] as JsonObject) };
  delete spec['checks'];
  return { ...document, spec, metadata: { ...(document['metadata'] as JsonObject), namespace: 'apps' } };
});

const violationsOf = (object: JsonObject, policies: Snapshot, willBeDefaulted: boolean): readonly Violation[] =>
  judgeObject(subjectOf(object), policies, willBeDefaulted, NOW).violations;

const keyOf = ({ check, path, container }: Violation): string => `${check} ${container} ${formatPath(path)}`;
const rank = (action: string): number => ACTIONS.findIndex((known) => known === action);

/** One world in which both properties have something to compare. */
const EXAMPLES: [ReturnType<typeof strict>, JsonObject[], JsonObject][] = [
  [
    strict(),
    [],
    { metadata: {}, spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 80 }] }] } },
  ],
];

function strict(): JsonObject & { readonly spec: { readonly checks: Record<string, JsonObject> } } {
  const checks = { 'timeout-over-period': { action: 'Deny', floor: 'Warn' } };
  return { ...clusterPolicyDocument({}), spec: { checks } };
}

/** What the author is told about the Pods to come, and what an author who writes these Pods by hand is told. */
function bothVerdicts(pod: JsonObject, policies: Snapshot): { told: readonly Violation[]; written: Violation[] } {
  const policy = policyForPod(pod, policies);
  const { injections } = permittedDefaulting(readPod(pod, POD_KIND), policy, { mayBeCopy: false });
  const written = violationsOf(deploymentOf(effectiveTemplate(pod, injections)), policies, false);
  return { told: violationsOf(deploymentOf(pod), policies, true), written: [...written] };
}

describeVerdicts('injected-violations');

it('a violation of an injected probe is never weaker than its floor', () => {
  let floored = 0;
  fc.assert(
    fc.property(platform, fc.array(team, { maxLength: 2 }), anyPod, (cluster, teams, pod) => {
      const policies = policySet(cluster, giving, ...named(teams));
      const { told, written } = bothVerdicts(pod, policies);
      const actions = new Map(told.map((violation) => [keyOf(violation), violation.action]));
      for (const violation of written) {
        const { floor } = (cluster.spec.checks[violation.check] ?? {}) as { floor?: string };
        const action = actions.get(keyOf(violation));
        if (floor === undefined || action === undefined) continue;
        floored += 1;
        expect(rank(action)).toBeGreaterThanOrEqual(Math.min(rank(floor), rank(violation.action)));
      }
    }),
    { numRuns: runs(500), examples: EXAMPLES },
  );
  expect(floored).toBeGreaterThan(0);
});

it('a team that injects a probe gets the platform’s action, as a team that writes the probe', () => {
  let platforms = 0;
  fc.assert(
    fc.property(platform, fc.array(team, { maxLength: 2 }), anyPod, (cluster, teams, pod) => {
      const policies = policySet(cluster, giving, ...named(teams));
      const { told, written } = bothVerdicts(pod, policies);
      const actions = new Map(written.map((violation) => [keyOf(violation), violation.action]));
      for (const violation of told) {
        if (!Object.hasOwn(cluster.spec.checks, violation.check)) continue;
        if (violation.policy?.source.startsWith('ProbePolicy/') !== true) continue;
        platforms += 1;
        expect([keyOf(violation), violation.action]).toEqual([keyOf(violation), actions.get(keyOf(violation))]);
      }
    }),
    { numRuns: runs(500), examples: EXAMPLES },
  );
  expect(platforms).toBeGreaterThan(0);
});

it('an injected probe changes no action but that of its own violations', () =>
  fc.assert(
    fc.property(platform, fc.array(team, { maxLength: 2 }), anyPod, (cluster, teams, pod) => {
      const { told, written } = bothVerdicts(pod, policySet(cluster, giving, ...named(teams)));
      const actions = new Map(written.map((violation) => [keyOf(violation), violation.action]));
      for (const violation of told) {
        const before = actions.get(keyOf(violation));
        expect(before).toBeDefined();
        expect(rank(violation.action)).toBeLessThanOrEqual(rank(before ?? 'Off'));
        if (violation.probe !== undefined && hasOwn(pod, violation)) expect(violation.action).toBe(before);
      }
    }),
    { numRuns: runs(300) },
  ));

/** Policies of one namespace have different names. */
function named(teams: readonly JsonObject[]): JsonObject[] {
  return teams.map((document, index) => ({
    ...document,
    metadata: { ...(document['metadata'] as JsonObject), name: `team-${index}` },
  }));
}

/** The author's own container has the probe that the violation names. */
function hasOwn(pod: JsonObject, { path, probe }: Violation): boolean {
  const below = path.slice(path.indexOf('spec', 2) + 1);
  let value: unknown = pod['spec'] ?? {};
  for (const step of below.slice(0, 2)) value = (value as Record<string, unknown> | undefined)?.[step];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, probe ?? '')) return false;
  // The API server treats null as absent.
  return (value as Record<string, unknown>)[probe ?? ''] !== null;
}
