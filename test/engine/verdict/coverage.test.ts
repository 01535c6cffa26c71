import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveTemplate } from '../../../src/engine/defaulting/injection.ts';
import { ownProbe } from '../../../src/engine/probe/probe.ts';
import { COVERED_PROBES, coverageOf } from '../../../src/engine/verdict/coverage.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { containersOf } from '../../../src/engine/workload/containers.ts';
import { objectMember, type JsonObject } from '../../../src/base/json/json-value.ts';
import { validPod } from '../../support/arbitraries.ts';
import { describeCases } from '../../support/recorded-cases.ts';
import { manifestOf, policiesOf, type WorkloadCase } from '../../support/workload-cases.ts';
import { namespaceDocument } from '../../robustness/random-worlds.ts';
import { policySet } from '../../support/worlds.ts';

interface Case extends WorkloadCase {
  readonly policies?: JsonObject;
  readonly runsToCompletion?: boolean;
}

/** Liveness and readiness of each container, and what wants a main container. */
function covered(given: Case): JsonObject {
  const policy = policiesOf(given.policies).policyFor('apps', new Map());
  const { containers, noMainContainer } = coverageOf(manifestOf(given), policy, {
    runsToCompletion: given.runsToCompletion ?? false,
  });
  return {
    covers: containers.map(({ livenessProbe, readinessProbe }) => `${livenessProbe}, ${readinessProbe}`),
    noMainContainer,
  };
}

describe('coverage', () => {
  describeCases('test/fixtures/coverage.yaml', ['covers', 'noMainContainer'], covered);

  it('agrees with the Pod that the webhook makes, for any Pod and policies', () =>
    fc.assert(
      fc.property(validPod, fc.array(namespaceDocument, { maxLength: 3 }), fc.boolean(), (pod, documents, ends) => {
        const apps = documents.map((document, index) => ({
          ...document,
          metadata: { name: `p${index}`, namespace: 'apps' },
        }));
        const policy = policySet(...apps).policyFor('apps', new Map());
        const options = { runsToCompletion: ends };
        const after = effectiveTemplate(pod, permittedDefaulting(pod, policy, options).injections);
        const probed = containersOf(objectMember(after, 'spec') ?? {}).filter(
          ({ role }) => role === 'application' || role === 'sidecar',
        );
        const { containers } = coverageOf(pod, policy, options);
        for (const probe of COVERED_PROBES)
          expect(containers.map((cover) => cover[probe] === 'have' || cover[probe] === 'get')).toEqual(
            probed.map(({ spec }) => ownProbe(spec, probe) !== undefined),
          );
      }),
    ));
});
