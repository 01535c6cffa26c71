import { describe, expect, it } from 'vitest';
import { mutateInSteps } from '../../src/webhook/review/mutate.ts';
import { reviewPolicyInSteps } from '../../src/webhook/review/review-policy.ts';
import { validateInSteps } from '../../src/webhook/review/validate.ts';
import { VALIDATE_SETTINGS, clusterPolicyDocument, pod, policySet, requestOf, reviewOf } from '../support/worlds.ts';
import { readable, report } from './figures.ts';
import { LARGE_WORLDS, MOST_CONTAINERS } from './large-worlds.ts';
import { MACHINE_FACTOR } from './settings.ts';
import { NOW } from '../support/now.ts';
import type { Decision } from '../../src/webhook/review/decision.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';
import type { Snapshot } from '../../src/engine/facts/snapshot.ts';
import type { Steps } from '../../src/base/steps.ts';
import type { LargeWorld } from './large-worlds.ts';

/** One step delays others by as much: half of what one review may delay another by, as parsing comes on top. */
const LONGEST_STEP_MILLISECONDS = 50;
/** Twice the containers may cost so many times as much: linear, with room for the garbage collector. */
const DOUBLING = 3.5;
/** The best of so many goes counts: a garbage collection is nobody's step. */
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

function longestStep(steps: Steps<Decision>): number {
  let longest = 0;
  for (;;) {
    const before = milliseconds();
    const { done } = steps.next();
    longest = Math.max(longest, milliseconds() - before);
    if (done === true) return longest;
  }
}

/** Some machines count a thread's processor time in ticks of 4 ms. Short decisions are repeated for at least as long. */
const LEAST_MILLISECONDS = 40;

/** The mean cost of a decision, and its longest step. */
function measure(decide: () => Steps<Decision>): { total: number; longest: number } {
  let [count, sum, longest] = [0, 0, 0];
  while (sum < LEAST_MILLISECONDS) {
    const before = milliseconds();
    longest = Math.max(longest, longestStep(decide()));
    sum += milliseconds() - before;
    count += 1;
  }
  return { total: sum / count, longest };
}

/** The least of several goes, of each figure. */
function best(decide: () => Steps<Decision>): { total: number; longest: number } {
  const goes = Array.from({ length: GOES }, () => measure(decide));
  return {
    total: Math.min(...goes.map(({ total }) => total)),
    longest: Math.min(...goes.map(({ longest }) => longest)),
  };
}

const webhooks: Readonly<Record<string, (containers: JsonObject[], policies: Snapshot) => Steps<Decision>>> = {
  mutate: (containers, policies) => mutateInSteps(requestOf(reviewOf(pod(containers))), policies, 'On', NOW),
  validate: (containers, policies) =>
    validateInSteps(requestOf(reviewOf(deploymentOf(containers))), policies, VALIDATE_SETTINGS, NOW),
};

describe.each(LARGE_WORLDS)('$name', ({ name, policies, containers }: LargeWorld) => {
  it.each(Object.entries(webhooks))(
    'take /%s no step that holds others up, and time in proportion',
    (webhook, decide) => {
      const set = policies();
      const half = best(() => decide(containers(MOST_CONTAINERS / 2), set));
      const whole = best(() => decide(containers(MOST_CONTAINERS), set));
      report(
        'Long decisions',
        `/${webhook}: ${name}`,
        `${readable(whole.total)}, longest step ${readable(whole.longest)}`,
      );
      expect(whole.longest, 'longest step').toBeLessThan(LONGEST_STEP_MILLISECONDS * MACHINE_FACTOR);
      expect(whole.total / Math.max(half.total, 1), 'times the cost of half as many').toBeLessThan(DOUBLING);
    },
    120_000,
  );
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

it.each(POLICIES)('/review-policies takes no long step for $name', ({ name, spec, oldSpec }) => {
  const change = oldSpec && { operation: 'UPDATE', oldObject: clusterPolicyDocument(oldSpec) };
  const review = reviewOf(clusterPolicyDocument(spec), { namespace: '', ...change });
  const textLength = JSON.stringify(review).length;
  expect(textLength).toBeLessThan(LONGEST_REVIEW);
  const request = { ...requestOf(review), textLength };
  const policies = policySet(clusterPolicyDocument({ checks: { 'named-port': { action: 'Deny' } } }));
  const { total, longest } = best(() => reviewPolicyInSteps(request, policies, NOW));
  report('Long decisions', `/review-policies: ${name}`, `${readable(total)}, longest step ${readable(longest)}`);
  expect(longest, 'longest step').toBeLessThan(LONGEST_STEP_MILLISECONDS * MACHINE_FACTOR);
});
