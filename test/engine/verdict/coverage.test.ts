import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectiveTemplate } from '../../../src/engine/defaulting/effective.ts';
import { ownProbe } from '../../../src/engine/probe/probe.ts';
import { COVERED_PROBES, coverageOf } from '../../../src/engine/verdict/coverage.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { containersOf } from '../../../src/engine/workload/containers.ts';
import { objectMember, type JsonObject } from '../../../src/base/json/json-value.ts';
import { validPod } from '../../support/arbitraries.ts';
import { namespaceDocument } from '../../robustness/random-worlds.ts';
import { clusterPolicyDocument, policyDocument, policySet } from '../../support/worlds.ts';
import type { ProbeCover, TemplateCoverage } from '../../../src/engine/verdict/coverage.ts';

const DEPLOYMENT = { runsToCompletion: false };
const tcp = { tcpSocket: { port: 80 } };
const http = { ports: [{ name: 'http', containerPort: 80 }] };
const gives = policyDocument({ kubernetesProbeEndpoints: { livenessProbe: '/live' } }, 'gives');

function coverage(spec: JsonObject, documents: JsonObject[] = [], options = DEPLOYMENT): TemplateCoverage {
  const policy = policySet(...documents).policyFor('apps', new Map());
  return coverageOf({ metadata: {}, spec }, policy, options);
}

/** Of the only container: what it has for liveness and readiness. */
function covers(container: JsonObject, documents: JsonObject[] = [], options = DEPLOYMENT): ProbeCover[] {
  const [only] = coverage({ containers: [{ name: 'app', ...container }] }, documents, options).containers;
  return [only?.livenessProbe ?? 'have', only?.readinessProbe ?? 'have'];
}

describe('coverage', () => {
  it("tells the author's probes from probes of policies, and says why a probe is lacking", () => {
    expect(covers({ livenessProbe: tcp, readinessProbe: {} })).toEqual(['have', 'have']);
    expect(covers({ ...http, readinessProbe: { httpGet: { port: 'http' } } }, [gives])).toEqual(['get', 'have']);
    expect(covers({ ...http, readinessProbe: tcp }, [gives])).toEqual(['own-handler-differs', 'have']);
    expect(covers(http, [gives])).toEqual(['get', 'no-endpoint']);
    expect(
      covers({ ports: [{ containerPort: 80 }, { containerPort: 81 }] }, [
        policyDocument({ containers: ['*'], kubernetesProbeEndpoints: { livenessProbe: '/live' } }),
      ]),
    ).toEqual(['no-port', 'no-endpoint']);
  });

  it('says when nobody asks for a probe: no policy, only checks, or policies for other containers', () => {
    expect(covers(http)).toEqual(['no-policy', 'no-policy']);
    const checksOnly = policyDocument({ checks: { 'named-port': { action: 'Warn' } } });
    expect(covers(http, [checksOnly])).toEqual(['no-policy', 'no-policy']);
    const elsewhere = policyDocument({ containers: ['web'], kubernetesProbeEndpoints: { livenessProbe: '/live' } });
    expect(covers(http, [elsewhere])).toEqual(['not-selected', 'not-selected']);
  });

  it('takes containers that run to completion for such, with and without policies', () => {
    const ended: ProbeCover[] = ['run-to-completion', 'run-to-completion'];
    expect(covers(http, [], { runsToCompletion: true })).toEqual(ended);
    expect(covers(http, [gives], { runsToCompletion: true })).toEqual(ended);
    expect(covers({ ...http, restartPolicy: 'Never' }, [gives])).toEqual(ended);
  });

  it('counts application containers and native sidecars, and no other container', () => {
    const spec = {
      containers: [{ name: 'app', ...http }, { name: 'istio-proxy' }],
      initContainers: [{ name: 'setup' }, { name: 'logs', restartPolicy: 'Always', livenessProbe: tcp }],
      ephemeralContainers: [{ name: 'debug' }],
    };
    expect(coverage(spec, [gives]).containers).toEqual([
      { livenessProbe: 'get', readinessProbe: 'no-endpoint' },
      { livenessProbe: 'have', readinessProbe: 'not-selected' },
    ]);
    for (const odd of [{}, { containers: 'x' }, { containers: [null, 3, []] }])
      expect(coverage(odd, [gives]).containers).toEqual([]);
  });

  it('names the policies that want a main container when none can be determined', () => {
    const spec = {
      containers: [
        { name: 'a', ...http },
        { name: 'b', ...http },
      ],
      initContainers: [{ name: 'c', restartPolicy: 'Always' }],
    };
    const named = policyDocument({ containers: ['b'], kubernetesProbeEndpoints: { readinessProbe: '/r' } }, 'named');
    const checks = policyDocument({ checks: { 'named-port': { action: 'Warn' } } }, 'checks');
    const cluster = clusterPolicyDocument({ kubernetesProbeEndpoints: { readinessProbe: '/ready' } });
    const found = coverage(spec, [gives, named, checks, cluster]);
    const none = { livenessProbe: 'no-main-container', readinessProbe: 'no-main-container' };
    expect(found.containers).toEqual([
      none,
      { livenessProbe: 'no-endpoint', readinessProbe: 'get' },
      { livenessProbe: 'not-selected', readinessProbe: 'not-selected' },
    ]);
    expect(found.noMainContainer).toEqual({
      policies: ['ClusterProbePolicy/cluster', 'ProbePolicy/apps/gives'],
      detail: expect.stringMatching(/^cannot tell its main container: "a", "b" all declare TCP ports/) as string,
    });
    expect(coverage(spec, [named]).noMainContainer).toBeUndefined();
  });

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
