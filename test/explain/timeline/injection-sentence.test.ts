import { expect, it } from 'vitest';
import { injectionSentence } from '../../../src/explain/timeline/injection-sentence.ts';
import type { WorkloadInjection } from '../../../src/explain/timeline/explanation.ts';

const probe = (name: string, container = 'app') => ({ container, probe: name });
const left = (name: string, container = 'app') => ({ ...probe(name, container), constructs: ['size'] });

it.each<[WorkloadInjection, string | undefined]>([
  [{ tier: 'native', injected: [], leftOut: [] }, undefined],
  [{ tier: 'webhook', injected: [probe('livenessProbe')], leftOut: [] }, 'The webhook injects livenessProbe.'],
  [
    { tier: 'native', injected: [probe('livenessProbe'), probe('readinessProbe')], leftOut: [left('startupProbe')] },
    'The native policy injects livenessProbe, readinessProbe. The webhook would also inject startupProbe.',
  ],
  [
    { tier: 'native', injected: [], leftOut: [left('livenessProbe')] },
    'The native policy injects nothing. The webhook would also inject livenessProbe.',
  ],
  [
    { tier: 'both', injected: [probe('livenessProbe'), probe('livenessProbe', 'proxy')], leftOut: [] },
    'The native policy and the webhook inject app: livenessProbe; proxy: livenessProbe.',
  ],
  [
    { tier: 'none', injected: [probe('livenessProbe')], leftOut: [] },
    'Nothing injects: the cluster has no webhook that injects, and no native policy.',
  ],
])('tells what injects: %j', (injection, sentence) => {
  expect(injectionSentence(injection)).toBe(sentence);
});
