import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COVERED_PROBES, coverageOf } from '../../../src/engine/verdict/coverage.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { BUILT_IN_KINDS, POD_KIND, workloadKind } from '../../../src/engine/workload/kinds.ts';
import { hasProbe, mayHaveProbes, type Pod } from '../../../src/engine/workload/pod.ts';
import { asCreated, readPod, withProbes } from '../../../src/engine/workload/read-pod.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';
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
  const { containers, noMainContainer } = coverageOf(podOf(manifestOf(given), given.runsToCompletion), policy);
  return {
    covers: containers.map(({ livenessProbe, readinessProbe }) => `${livenessProbe}, ${readinessProbe}`),
    noMainContainer,
  };
}

/** The Pod of a Deployment, or of a Job. */
function podOf(template: JsonObject, ends = false): Pod {
  const kind = ends ? workloadKind('batch', 'Job', BUILT_IN_KINDS) : workloadKind('apps', 'Deployment', BUILT_IN_KINDS);
  return readPod(template, kind ?? POD_KIND);
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
        const read = podOf(pod, ends);
        const after = asCreated(withProbes(read, permittedDefaulting(read, policy).injections));
        const probed = after.containers.filter(mayHaveProbes);
        const { containers } = coverageOf(read, policy);
        for (const probe of COVERED_PROBES)
          expect(containers.map((cover) => cover[probe] === 'have' || cover[probe] === 'get')).toEqual(
            probed.map((container) => hasProbe(container, probe)),
          );
      }),
    ));
});
