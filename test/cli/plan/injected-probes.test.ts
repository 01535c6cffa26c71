import { describe, expect, it } from 'vitest';
import { injectedProbes, injectedSentence } from '../../../src/cli/plan/injected-probes.ts';
import { planAsMarkdown, planAsText } from '../../../src/cli/plan/formats.ts';
import { PLAIN } from '../../../src/cli/output/screen.ts';
import { emptySummary } from '../../../src/engine/verdict/compare/plan.ts';
import { constructText, leftOutByNative } from '../../../src/native/native-injection.ts';
import { appContainer, clusterPolicyDocument, deploymentOf, pod, policySet, subjectOf } from '../../support/worlds.ts';

const webhook = policySet(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { livenessProbe: '/live', readinessProbe: '/ready' },
  }),
);
const native = webhook.with(webhook.tiers, webhook.facts, leftOutByNative);
const large = { env: [{ name: 'A', value: 'x'.repeat(40_000) }] };
const workloads = [pod([appContainer()]), pod([appContainer(large)])].map((one) => subjectOf(deploymentOf(one)));

describe('what tiers inject into workloads', () => {
  it('is counted, and the workloads that get fewer from the native policy are named by construct', () => {
    const [, second] = workloads;
    expect(injectedProbes('native', workloads, native)).toEqual({
      tier: 'native',
      webhook: 6,
      native: 3,
      fewer: [{ construct: 'size', workloads: [{ kind: 'Deployment', namespace: 'apps', name: second?.name }] }],
    });
    expect(injectedProbes('webhook', workloads, webhook)).toEqual({ tier: 'webhook', webhook: 6, fewer: [] });
  });

  it.each([
    [
      { tier: 'native', webhook: 4, native: 2 },
      'The native policy injects 2 probes into these workloads; the webhook would inject 4.',
    ],
    [
      { tier: 'both', webhook: 4, native: 1 },
      'The native policy injects 1 probe into these workloads; the webhook adds 3.',
    ],
    [{ tier: 'webhook', webhook: 1 }, 'The webhook injects 1 probe into these workloads.'],
    [{ tier: 'none', webhook: 1 }, 'Nothing injects: the cluster has no webhook that injects, and no native policy.'],
  ] as const)('is told in a sentence: %j', (injection, sentence) => {
    expect(injectedSentence({ ...injection, fewer: [] })).toBe(sentence);
  });

  it('is a group of the plan, in the words of the report of export', () => {
    const injection = injectedProbes('native', workloads, native);
    const plan = { effects: [], summary: { ...emptySummary(), workloads: 2, unchanged: 2 }, injection, constructText };
    const title =
      '1 workload gets fewer probes from the native policy: size (a Pod with thousands of elements, with dozens of different containers, or with long commands)';
    expect(planAsText(plan, { columns: undefined, paint: PLAIN })).toContain(title);
    expect(planAsMarkdown(plan)).toContain(title);
  });
});
