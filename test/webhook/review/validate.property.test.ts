import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validate } from '../../support/decisions.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { anyPod, validPod, wildValue } from '../../support/arbitraries.ts';
import { expectValidReply } from '../../support/protocol.ts';
import {
  VALIDATE_SETTINGS,
  clusterPolicyDocument,
  deploymentOf,
  policySet,
  requestOf,
  reviewOf,
} from '../../support/worlds.ts';
import { NOW } from '../../support/now.ts';
import { runs } from '../../support/runs.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** Every check at once, at its strictest. */
const everything = policySet(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: { livenessProbe: '/l' },
    checks: Object.fromEntries(Object.keys(CHECK_CATALOGUE).map((id) => [id, { action: 'Deny' }])),
  }),
);

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
      { numRuns: runs(2000) },
    );
  });

  it('an update that changes no probe is never refused, whatever was wrong before', () => {
    fc.assert(
      fc.property(anyPod, (pod) => {
        const before = deploymentOf(pod);
        const after = deploymentOf({ ...pod, metadata: { ...(pod['metadata'] as JsonObject), uid: 'changed' } });
        expect(ask(after, { operation: 'UPDATE', oldObject: before }).allowed).toBe(true);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('the same object gets the same answer again', () => {
    fc.assert(
      fc.property(validPod, (pod) => {
        expect(ask(deploymentOf(pod))).toEqual(ask(deploymentOf(pod)));
      }),
      { numRuns: runs(500) },
    );
  });

  it('whatever stands where containers and probes belong gets a valid answer', () => {
    const wild = wildValue(
      ...['containers', 'initContainers', 'ephemeralContainers', 'name', 'ports', 'livenessProbe', 'startupProbe'],
      ...['httpGet', 'exec', 'command', 'port', 'httpHeaders', 'periodSeconds', 'restartPolicy'],
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('containers', 'initContainers', 'restartPolicy'), wild), (spec) => {
        ask(deploymentOf({ spec }));
      }),
      { numRuns: runs(3000) },
    );
  });
});
