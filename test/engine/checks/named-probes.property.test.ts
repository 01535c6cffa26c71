import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatPath } from '../../../src/base/json/field-path.ts';
import { PROBE_KINDS } from '../../../src/engine/probe/probe.ts';
import { permittedDefaulting } from '../../../src/engine/verdict/permitted-defaulting.ts';
import { anyWorkload } from '../../support/arbitrary-workloads.ts';
import { checkTexts } from '../../support/check-texts.ts';
import { absentProbesIn } from '../../support/named-probes.ts';
import { runs } from '../../support/runs.ts';
import { clusterPolicyDocument, policyForPod, policySet, subjectOf } from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ports = [{ name: 'http', containerPort: 8080 }];
const probe = fc.record(
  {
    httpGet: fc.constantFrom({ path: '/live', port: 'http' }, { path: '/ready', port: 'web' }, { path: '/', port: 81 }),
    initialDelaySeconds: fc.constantFrom(5, 60, 600),
    periodSeconds: fc.constantFrom(1, 10, 120),
    timeoutSeconds: fc.constantFrom(1, 5, 200),
    failureThreshold: fc.constantFrom(1, 3, 40),
    terminationGracePeriodSeconds: fc.constantFrom(1, 900),
  },
  { requiredKeys: ['httpGet'] },
);
const command = fc.constantFrom(['true'], ['sh', '-c', 'sleep 3; check'], ['java', '-jar', 'x.jar']);
const probes = fc.record(
  Object.fromEntries(
    PROBE_KINDS.map((kind) => [
      kind,
      fc.oneof(
        probe,
        fc.record({ exec: command.map((words) => ({ command: words })), periodSeconds: fc.constantFrom(1, 10) }),
      ),
    ]),
  ),
  { requiredKeys: [] },
);
const container = fc.record({ name: fc.constant('app'), image: fc.constant('web:1'), ports: fc.constant(ports) });

it('no message and no remedy speaks of a probe that the container has not, unless it says to write one', () => {
  const check = fc.property(container, probes, fc.nat({ max: 2 }), (base, given, replicas) => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ ...base, ...given }] } };
    const spec = { replicas, selector: { matchLabels: { app: 'web' } }, template };
    const text = stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
    const wrong = checkTexts([{ file: 'web.yaml', text }], []).violations.flatMap(({ message, remedy = '' }) => {
      // Whoever is told to write the probe may also be told about its numbers.
      const told = `${message}; ${remedy}`;
      return absentProbesIn(told, new Set(Object.keys(given))).map((kind) => `${kind}: ${told}`);
    });
    expect(wrong).toEqual([]);
  });
  fc.assert(check, { numRuns: runs(300) });
});

const endpoints = { startupProbe: '/start', livenessProbe: '/live', readinessProbe: '/ready' };
const POLICIES = [
  {},
  { kubernetesProbeEndpoints: endpoints, containers: ['*'] },
  { kubernetesProbeEndpoints: { livenessProbe: '/live' }, probes: { startupProbe: null } },
  {
    slowStart: { startupSeconds: 120, fromInitialDelaySeconds: 1 },
    checks: { 'required-readiness': { action: 'Warn' } },
  },
].map((spec) => clusterPolicyDocument(spec));

/** The probes that each container of an object will have, by its path. One with a misspelt name counts, too. */
function probesOf(object: JsonObject, policy: JsonObject): ReadonlyMap<string, ReadonlySet<string>> {
  const policies = policySet(policy);
  const containers = subjectOf(object).pods.flatMap(
    (pod) => permittedDefaulting(pod, policyForPod(pod.template, policies)).pod.containers,
  );
  return new Map(
    containers.map(({ place, spec, written }) => {
      const keys = new Set(Object.keys(spec).map((key) => key.toLowerCase()));
      const misspelt = PROBE_KINDS.filter((kind) => keys.has(kind.toLowerCase()));
      return [formatPath(place.path()), new Set<string>([...misspelt, ...written.map(({ kind }) => kind)])];
    }),
  );
}

it('no finding of any workload speaks of a probe that the container will not have', () => {
  const check = fc.property(anyWorkload, fc.constantFrom(...POLICIES), (object, policy) => {
    const probes = probesOf(object, policy);
    const texts = [object, policy].map((each) => [{ file: 'web.json', text: JSON.stringify(each) }]);
    for (const { path, message, remedy = '', workloads } of checkTexts(texts[0] ?? [], texts[1] ?? []).violations) {
      // A finding of a policy, or about an annotation, names no place of a container.
      const at = path.findIndex((step) => step === 'containers' || step === 'initContainers');
      if (at < 0 || workloads !== undefined) continue;
      const present = probes.get(formatPath(path.slice(0, at + 2))) ?? new Set();
      const told = `${message}; ${remedy}`;
      expect(absentProbesIn(told, present), `${[...present].join()}: ${told}`).toEqual([]);
    }
  });
  fc.assert(check, { numRuns: runs(300) });
});
