import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../support/decisions.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { anyPod, validPod } from '../../support/arbitraries.ts';
import { expectValidReply } from '../../support/protocol.ts';
import { VALIDATE_SETTINGS, clusterPolicyDocument, policySet, requestOf, reviewOf } from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** Every check at once, at its strictest. */
const everything = policySet(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { livenessProbe: '/l' },
    checks: Object.fromEntries(Object.keys(CHECK_CATALOGUE).map((id) => [id, { action: 'Deny' }])),
  }),
);

const deploymentOf = (pod: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'random', namespace: 'apps' },
  spec: { template: pod },
});

function ask(object: JsonObject, request: JsonObject = {}): ReturnType<typeof expectValidReply> {
  const decoded = requestOf(reviewOf(object, request));
  return expectValidReply('validate', decoded.uid, validate(decoded, everything, VALIDATE_SETTINGS, NOW).reply);
}

describe('with every check at Deny', () => {
  it('any Pod and any template gets a valid answer, and the object is left as it was', () => {
    fc.assert(
      fc.property(anyPod, (pod) => {
        const before = JSON.stringify(pod);
        ask(pod);
        ask(deploymentOf(pod));
        expect(JSON.stringify(pod)).toBe(before);
      }),
      { numRuns: 2000 },
    );
  });

  it('an update that changes no probe is never refused, whatever was wrong before', () => {
    fc.assert(
      fc.property(anyPod, (pod) => {
        const before = deploymentOf(pod);
        const after = deploymentOf({ ...pod, metadata: { ...(pod['metadata'] as JsonObject), uid: 'changed' } });
        expect(ask(after, { operation: 'UPDATE', oldObject: before }).allowed).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('the same object gets the same answer again', () => {
    fc.assert(
      fc.property(validPod, (pod) => {
        expect(ask(deploymentOf(pod))).toEqual(ask(deploymentOf(pod)));
      }),
      { numRuns: 500 },
    );
  });

  it('whatever stands where containers and probes belong gets a valid answer', () => {
    const key = fc.constantFrom(
      'containers',
      'initContainers',
      'ephemeralContainers',
      'name',
      'ports',
      'livenessProbe',
      'startupProbe',
      'httpGet',
      'exec',
      'command',
      'port',
      'httpHeaders',
      'periodSeconds',
      'restartPolicy',
    );
    const wild = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, depthSize: 'large' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 6 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('containers', 'initContainers', 'restartPolicy'), wild), (spec) => {
        ask(deploymentOf({ spec }));
      }),
      { numRuns: 3000 },
    );
  });
});
