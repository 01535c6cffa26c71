import { describe, expect, it } from 'vitest';
import { KNOWN_KINDS } from '../../../src/engine/workload/kinds.ts';
import { decide, type DecideSettings } from '../../../src/webhook/review/decide.ts';
import { DEFAULT_TRUSTED_CONTROLLERS } from '../../../src/webhook/review/trusted-controllers.ts';
import { NOW } from '../../support/now.ts';
import {
  appContainer,
  clusterPolicyDocument,
  pod,
  policyDocument,
  policySet,
  requestOf,
  reviewOf,
} from '../../support/worlds.ts';

const settings: DecideSettings = {
  policies: () => policySet(clusterPolicyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/r' } })),
  mutation: 'On',
  enforcement: 'Deny',
  kinds: KNOWN_KINDS,
  controllers: DEFAULT_TRUSTED_CONTROLLERS,
  now: () => NOW,
};
const request = requestOf(reviewOf(pod([appContainer()])));
const broken = { ...appContainer(), livenessProbe: { tcpSocket: { port: 'none' } } };
const rejected = requestOf(reviewOf(pod([broken])));
const ofPolicy = requestOf(reviewOf(policyDocument({ prot: 1 }, 'base')));

describe('the decision of a webhook', () => {
  it('adds probes for mutate, runs the checks for validate, and reads a policy for review-policies', () => {
    expect(decide('mutate', request, settings)?.result).toBe('mutate');
    expect(decide('validate', rejected, settings)?.result).toBe('deny');
    expect(decide('review-policies', ofPolicy, settings)?.result).toBe('deny');
  });

  it('follows the settings of the server', () => {
    expect(decide('mutate', request, { ...settings, mutation: 'Off' })?.skipped).toBe('mutation-off');
    expect(decide('validate', rejected, { ...settings, enforcement: 'Warn' })?.result).toBe('warn');
    expect(decide('validate', request, { ...settings, kinds: [] })?.skipped).toBe('kind');
  });

  it('does not exist until the policies have been read', () => {
    expect(decide('mutate', request, { ...settings, policies: () => undefined })).toBeUndefined();
  });
});
