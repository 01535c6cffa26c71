import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { objectMember, type JsonObject } from '../../src/base/json/json-value.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { KNOWN_KINDS, podTemplatesOf, workloadKindOfManifest } from '../../src/engine/workload/kinds.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { CORPORA } from '../judged/corpus.ts';
import { clusterPolicyDocument, parsedPolicy } from '../support/worlds.ts';
import { admitted, besideEngine } from './beside-engine.ts';

/** The mapping of the README for every container, without a number. */
const MAPPING = parsedPolicy(
  clusterPolicyDocument({
    containers: ['*'],
    kubernetesProbeEndpoints: {
      startupProbe: '/healthcheck/ready',
      livenessProbe: '/healthcheck/live',
      readinessProbe: '/healthcheck/foo',
    },
  }),
);

const inApps = (item: JsonObject): JsonObject => ({
  ...item,
  metadata: { ...objectMember(item, 'metadata'), namespace: 'apps' },
});

/** The Pods of the workloads of a file, as their controllers create them, beside the file's Services. */
function* podsOf(file: string): Generator<readonly [JsonObject, Snapshot]> {
  const { items } = JSON.parse(readFileSync(file, 'utf8')) as { items: JsonObject[] };
  const services = items.filter((item) => item['kind'] === 'Service').map(inApps);
  const snapshot = Snapshot.of(CHECK_CATALOGUE, [MAPPING], factsOf(services));
  for (const item of items) {
    const kind = workloadKindOfManifest(item, KNOWN_KINDS);
    if (kind === undefined || kind.runsToCompletion) continue;
    for (const { template } of podTemplatesOf(item, kind)) {
      const { labels, annotations } = objectMember(template, 'metadata') ?? {};
      const metadata = {
        labels,
        annotations,
        ownerReferences: [{ kind: 'ReplicaSet', name: 'web', controller: true }],
      };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: template['spec'] };
      yield [admitted(JSON.parse(JSON.stringify(pod)) as JsonObject), snapshot];
    }
  }
}

describe.skipIf(CORPORA.length === 0)('the native policy over the workloads of public charts', () => {
  it('gives at least three of four probes that the webhook gives, and none more', () => {
    let [webhook, equal] = [0, 0];
    for (const { directory } of CORPORA)
      for (const name of readdirSync(directory).filter((file) => file.endsWith('.json')))
        for (const [pod, snapshot] of podsOf(`${directory}/${name}`)) {
          const compared = besideEngine(pod, snapshot);
          expect(compared.moreOrOther, name).toEqual([]);
          for (const { place, reasons } of compared.fewer) expect(reasons, `${name} ${place}`).not.toEqual([]);
          webhook += compared.webhook;
          equal += compared.equal;
        }
    console.log(`native policy: ${equal} of ${webhook} probes of the webhook`);
    expect(equal / webhook).toBeGreaterThanOrEqual(0.75);
  });
});
