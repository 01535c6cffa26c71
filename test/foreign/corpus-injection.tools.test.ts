import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { objectMember, stringMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { guaranteedStartSeconds, probeTiming } from '../../src/engine/time/timing.ts';
import { PROBE_KINDS } from '../../src/engine/probe/probe.ts';
import { readPod } from '../../src/engine/workload/read-pod.ts';
import { permittedDefaulting } from '../../src/engine/verdict/permitted-defaulting.ts';
import { KNOWN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../src/engine/workload/kinds.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { clusterPolicyDocument, parsedPolicy } from '../support/worlds.ts';

/** Public workloads, reduced to what probes are judged by. They are not ours to store. */
const CORPUS = '../shared/corpus';

/** The mapping of the README for every container, without a number. */
const POLICY = parsedPolicy(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: {
      startupProbe: '/healthcheck/ready',
      livenessProbe: '/healthcheck/live',
      readinessProbe: '/healthcheck/foo',
    },
  }),
);

const isThere = existsSync(CORPUS);
if (!isThere) console.log(`skipped: there is no ${CORPUS}`);

describe.skipIf(!isThere)('the mapping without numbers, for every container of public charts', () => {
  const files = isThere ? readdirSync(CORPUS).filter((name) => name.endsWith('.json')) : [];

  it.each(files)('gives no short start, and contradicts no author: %s', (file) => {
    const { items } = JSON.parse(readFileSync(`${CORPUS}/${file}`, 'utf8')) as { items: JsonObject[] };
    const services = items.filter((item) => item['kind'] === 'Service');
    const snapshot = Snapshot.of(CHECK_CATALOGUE, [POLICY], factsOf(services));
    for (const item of items) {
      const kind = workloadKindOfManifest(item, KNOWN_KINDS);
      if (kind === undefined) continue;
      const namespace = stringMember(objectMember(item, 'metadata') ?? {}, 'namespace') ?? '';
      for (const { template } of podTemplatesOf(item, kind)) {
        const pod = readPod(template, kind);
        const policy = snapshot.policyFor(namespace, pod.labels);
        for (const { container, kind: probeKind, probe, isLikeOwn } of permittedDefaulting(pod, policy).injections) {
          const at = `${file} ${kind.kind} ${container.name} ${probeKind}`;
          const own = objectMember(container.spec, 'livenessProbe');
          const guaranteed = guaranteedStartSeconds(probeTiming(probe));
          const least = own === undefined ? 300 : guaranteedStartSeconds(probeTiming(own));
          if (probeKind === 'startupProbe') expect(guaranteed, at).toBeGreaterThanOrEqual(least);
          if (isLikeOwn === true) continue;
          const others = PROBE_KINDS.flatMap((each) => {
            const path = objectMember(objectMember(container.spec, each) ?? {}, 'httpGet')?.['path'];
            const wanted = POLICY.probes[each]?.handler?.fields['path'];
            return path === undefined || path === wanted ? [] : [path];
          });
          expect(others, at).toEqual([]);
        }
      }
    }
    expect(items.length).toBeGreaterThan(0);
  });
});
