import { afterEach, beforeEach, expect, it } from 'vitest';
import { CHECK_CATALOGUE } from '../../src/engine/checks/catalogue.ts';
import { NO_FACTS } from '../../src/engine/facts/facts.ts';
import { ApiClient } from '../../src/cluster/client/api-client.ts';
import { parseProbePolicy } from '../../src/engine/policy/read-policy.ts';
import { policyEffect } from '../../src/webhook/serve-cluster.ts';
import { PolicyStore } from '../../src/cluster/sources/policy-store.ts';
import { BUILT_IN_KINDS } from '../../src/engine/workload/kinds.ts';
import { startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { deployment, deploymentsOf, DEPLOYMENTS } from '../observer/observed-cluster.ts';
import { policyDocument } from '../support/worlds.ts';

let api: FakeApiServer;
beforeEach(async () => {
  api = await startFakeApiServer();
  api.serve([DEPLOYMENTS]);
  api.put(deploymentsOf('apps'), deployment('secret-project', 'http'));
});
afterEach(() => api.stop());

it.each([
  [undefined, 'updates. Run'],
  ['ca.crt', 'updates: Deployment apps/secret-project (required-liveness). Run'],
])('with --client-ca %s the first warning about a policy says "%s"', async (clientCa, words) => {
  const store = new PolicyStore(['cluster']);
  store.replace('cluster', { policies: [], facts: NO_FACTS });
  const connection = {
    client: new ApiClient(api.access, 'test'),
    config: { policyImpact: true, exemptNamespaces: undefined },
    namespace: 'probewright',
  } as never;
  const serving = { enforcement: 'Deny', mutation: 'On', clientCa } as const;
  const clocks = { now: () => 0, monotonic: () => performance.now() };
  const inputs = { kinds: BUILT_IN_KINDS, ended: () => undefined, log: { info: () => undefined }, ...clocks };
  const effect = policyEffect(connection, store, serving, inputs);
  const document = { ...policyDocument({ checks: { 'required-liveness': { action: 'Deny' } } }), kind: 'ProbePolicy' };
  const parsed = parseProbePolicy(CHECK_CATALOGUE, document);
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const { source, namespace } = parsed.policy;
  const limits = { milliseconds: 10_000, isDryRun: true, isAbandoned: () => false };
  const [warning] = (await effect?.({ kind: 'policy', source, namespace, applied: parsed.policy }, limits)) ?? [];
  expect(warning).toContain(`of 1 workload, 1 would be denied if created again, and warned at ${words}`);
});
