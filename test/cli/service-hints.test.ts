import { describe, expect, it } from 'vitest';
import { fix, plan } from '../../src/package/api/index.ts';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { Snapshot } from '../../src/engine/facts/snapshot.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { clusterPolicyDocument, mutation, parsedPolicy, pod } from '../support/worlds.ts';
import { runProbewright } from './run-probewright.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const POLICY = clusterPolicyDocument({ containers: ['*'], kubernetesProbeEndpoints: { readinessProbe: '/readyz' } });
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'apps' },
  spec: {
    selector: { app: 'web' },
    ports: [
      { port: 443, name: 'https', targetPort: 7000 },
      { port: 80, name: 'x', targetPort: 'main', appProtocol: 'kubernetes.io/h2c' },
    ],
  },
};
const POD = pod([{ name: 'app', ports: [{ containerPort: 7000 }, { name: 'main', containerPort: 7001 }] }]);
const EXPECTED = { httpGet: { path: '/readyz', port: 7000, scheme: 'HTTPS' } };

const documents = (...objects: JsonObject[]): string => objects.map((each) => JSON.stringify(each)).join('\n---\n');
const readiness = (text: string): unknown => /"readinessProbe":\s*(\{.*?\}\s*\})/s.exec(text)?.[1];
const command = async (words: string[], ...objects: JsonObject[]): Promise<string> =>
  (await runProbewright(words, { stdin: documents(...objects) })).stdout;

describe('what a Service says about ports', () => {
  it('counts for the webhook', () => {
    const snapshot = Snapshot.of(CHECK_CATALOGUE, [parsedPolicy(POLICY)], factsOf([SERVICE]));
    expect(mutation(POD, snapshot).patch?.map(({ value }) => value)).toContainEqual(EXPECTED);
    const unknown = Snapshot.of(CHECK_CATALOGUE, [parsedPolicy(POLICY)]);
    expect(mutation(POD, unknown).defaulting?.notInjected).toContainEqual(expect.objectContaining({ code: 'no-port' }));
  });

  it('counts for fix, with files and as a function', async () => {
    expect(readiness(await command(['fix', '-'], POD, SERVICE, POLICY))).toBe(JSON.stringify(EXPECTED));
    const fixed = fix([POD, SERVICE], { policies: [POLICY] });
    expect(readiness(JSON.stringify(fixed))).toBe(JSON.stringify(EXPECTED));
  });

  it('counts for explain and plan', async () => {
    const explained = await command(['explain', '-', '--fields'], POD, SERVICE, POLICY);
    expect(explained).toMatch(/httpGet\.scheme\s+HTTPS\s+inferred/);
    const planned = plan([POD, SERVICE], { apply: [POLICY] });
    expect(JSON.stringify(planned)).toContain(JSON.stringify(EXPECTED));
  });
});
