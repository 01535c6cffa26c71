import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { parseProbePolicy } from '../../../src/engine/policy/read-policy.ts';
import { didYouMean } from '../../../src/base/text/suggestion.ts';
import { clusterPolicyDocument } from '../../support/worlds.ts';

vi.mock('../../../src/base/text/suggestion.ts', { spy: true });

beforeEach(() => {
  vi.mocked(didYouMean).mockClear();
});

describe('a policy with thousands of unknown names', () => {
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`unknown-${index}`, {}]));

  it.each([
    ['fields', unknown],
    ['checks', { checks: unknown }],
    ['parameters', { checks: { 'exec-forbidden': unknown } }],
    ['probes', { probes: unknown }],
    ['endpoints', { kubernetesProbeEndpoints: unknown }],
  ])('gets suggestions for the %s that are listed, and for no others', (_, spec) => {
    const parsed = parseProbePolicy(CHECK_CATALOGUE, clusterPolicyDocument(spec));
    expect(parsed.problems !== undefined && parsed.problems.length).toBe(101);
    // The last problem says that further problems are not listed.
    expect(vi.mocked(didYouMean)).toHaveBeenCalledTimes(101);
  });
});
