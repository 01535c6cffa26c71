import { describe, expect, it } from 'vitest';
import { mutate } from '../../src/webhook/review/mutate.ts';
import { reviewPolicy } from '../../src/webhook/review/review-policy.ts';
import { validate } from '../../src/webhook/review/validate.ts';
import { VALIDATE_SETTINGS, clusterPolicyDocument, pod, policySet, requestOf, reviewOf } from '../support/worlds.ts';
import { readable, report } from './figures.ts';
import { LARGE_WORLDS, MOST_CONTAINERS, type LargeWorld } from './large-worlds.ts';
import { MACHINE_FACTOR } from './settings.ts';
import { NOW } from '../support/now.ts';
import type { Decision } from '../../src/webhook/review/decision.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';

/** No decision takes longer. One review may delay another by 500 ms, with parsing. */
const LONGEST_MILLISECONDS = 100;
/** Twice the containers may cost so many times as much: linear, with room for the garbage collector. */
const DOUBLING = 3.5;
/** The best of so many goes counts: a garbage collection is no part of a decision. */
const GOES = 3;

const deploymentOf = (containers: JsonObject[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'apps' },
  spec: { template: { metadata: { labels: { app: 'web' } }, spec: { containers } } },
});

/** Processor time of this thread: what others take from the machine does not count. */
function milliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Some machines count a thread's processor time in ticks of 4 ms. Short decisions are repeated for at least as long. */
const LEAST_MILLISECONDS = 40;

/** The mean cost of a decision. */
function measure(decide: () => Decision): number {
  let [count, sum] = [0, 0];
  while (sum < LEAST_MILLISECONDS) {
    const before = milliseconds();
    decide();
    sum += milliseconds() - before;
    count += 1;
  }
  return sum / count;
}

/** The least of several goes. */
function best(decide: () => Decision): number {
  return Math.min(...Array.from({ length: GOES }, () => measure(decide)));
}

const webhooks: Readonly<Record<string, (containers: JsonObject[], policies: Snapshot) => Decision>> = {
  mutate: (containers, policies) => mutate(requestOf(reviewOf(pod(containers))), policies, 'On', NOW),
  validate: (containers, policies) =>
    validate(requestOf(reviewOf(deploymentOf(containers))), policies, VALIDATE_SETTINGS, NOW),
};

describe.each(LARGE_WORLDS)('$name', ({ name, policies, containers }: LargeWorld) => {
  it.each(Object.entries(webhooks))('take /%s little time, in proportion to the containers', (webhook, decide) => {
    const set = policies();
    const half = best(() => decide(containers(MOST_CONTAINERS / 2), set));
    const whole = best(() => decide(containers(MOST_CONTAINERS), set));
    report('Long decisions', `/${webhook}: ${name}`, readable(whole));
    expect(whole, 'milliseconds').toBeLessThan(LONGEST_MILLISECONDS * MACHINE_FACTOR);
    expect(whole / Math.max(half, 1), 'times the cost of half as many').toBeLessThan(DOUBLING);
  });
});

/** An API server sends no longer review of a policy. */
const LONGEST_REVIEW = 2 * 1024 * 1024;
const members = (count: number, value: unknown): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const values = Array.from({ length: 100_000 }, (_, index) => `n${index}`);

/** Anybody who reaches the port may send these. The old object differs in the last member, or there is none. */
const POLICIES: readonly { readonly name: string; readonly spec: JsonObject; readonly oldSpec?: JsonObject }[] = [
  { name: '70,000 unknown checks', spec: { checks: members(70_000, { action: 'Deny' }) } },
  { name: '100,000 unknown probes', spec: { probes: members(100_000, 1) } },
  {
    name: '80,000 unknown fields that were there before',
    spec: members(80_000, 1),
    oldSpec: { ...members(80_000, 1), last: 1 },
  },
  {
    name: 'a selector with 100,000 namespaces',
    spec: { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] } },
  },
];

it.each(POLICIES)('/review-policies is quick for $name', ({ name, spec, oldSpec }) => {
  const change = oldSpec && { operation: 'UPDATE', oldObject: clusterPolicyDocument(oldSpec) };
  const review = reviewOf(clusterPolicyDocument(spec), { namespace: '', ...change });
  expect(JSON.stringify(review).length).toBeLessThan(LONGEST_REVIEW);
  const request = requestOf(review);
  const policies = policySet(clusterPolicyDocument({ checks: { 'named-port': { action: 'Deny' } } }));
  const took = best(() => reviewPolicy(request, policies, NOW));
  report('Long decisions', `/review-policies: ${name}`, readable(took));
  expect(took, 'milliseconds').toBeLessThan(LONGEST_MILLISECONDS * MACHINE_FACTOR);
});
