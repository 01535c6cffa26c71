import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { exceptionDocument } from '../support/exceptions.ts';
import { endedAfterAll } from '../support/started.ts';
import { kubeconfigOf, startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { reviewOf } from '../support/worlds.ts';
import { CHART_LIMIT_BYTES, chartNodeArgs } from './chart-memory.ts';
import { ask, askHealth } from './client.ts';
import { mebibytes, report } from './figures.ts';
import { Program } from './program.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const PATIENCE_MILLISECONDS = 60_000;
/** The mirror reads what comes meanwhile, as from an API server that takes some milliseconds for a write. */
const WRITES_A_PAUSE = 50;
/** The creation times of objects have seconds, and of objects of one second the name decides which is older. */
const CREATION_MILLISECONDS = 1_000;

const EXCEPTIONS = 1500;
const SERVICES = 1500;
/** In front of the tenant, and behind. The tenant is `mm-tenant`. */
const NAMESPACES = ['aa-team', 'mm-tenant', 'zz-team'];
const TENANT = 'mm-tenant';

const POLICY = `apiVersion: probewright.dev/v1alpha1
kind: ClusterProbePolicy
metadata: { name: all }
spec: { checks: { named-port: { action: Deny }, service-readiness: { action: Deny } } }
`;

const exceptionsOf = (namespace: string): string =>
  `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/probeexceptions`;
const servicesOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/services`;
const named = (prefix: string, index: number): string => `${prefix}${String(index).padStart(4, '0')}`;

/** An exception for Deployment `excused`, which violates named-port. */
function exception(namespace: string): JsonObject {
  const spec = { workloads: [{ kind: 'Deployment', name: 'excused' }], expires: '2099-01-01T00:00:00Z' };
  return exceptionDocument(spec, { name: 'z-newest', namespace });
}

/** A Service that sends traffic to Deployment `served`, which has no readiness probe. */
const SERVICE = { metadata: { name: 'z-newest' }, spec: { selector: { app: 'served' }, ports: [{ port: 8080 }] } };

/** An exception at the bounds: 64 workloads with names of 253 characters. Some are too large to be read at all. */
function hostileException(index: number): JsonObject {
  const workloads = Array.from({ length: index % 10 === 0 ? 200 : 64 }, (_, at) => ({
    kind: 'Deployment',
    name: `${at}-`.padEnd(253, 'x'),
  }));
  const metadata = { name: named('e', index), namespace: TENANT };
  return exceptionDocument({ workloads, expires: '2099-01-01T00:00:00Z' }, metadata);
}

/** A Service with 50 labels in the selector, which is almost the budget of an object. Some have far more. */
function hostileService(index: number): object {
  const count = index % 10 === 0 ? 500 : 50;
  const labels = Array.from({ length: count }, (_, at) => [`label-${at}`, 'x'.repeat(63)] as const);
  return {
    metadata: { name: named('s', index) },
    spec: { selector: Object.fromEntries(labels), ports: [{ port: 1 }] },
  };
}

const keep = endedAfterAll();
let api: FakeApiServer;
let program: Program;

beforeAll(async () => {
  api = await keep(startFakeApiServer());
  for (const namespace of NAMESPACES) {
    if (namespace !== TENANT) api.put(exceptionsOf(namespace), exception(namespace));
    api.put(servicesOf(namespace), SERVICE);
  }
  const kubeconfig = kubeconfigOf(api.access.server);
  const args = ['--log-level', 'warn'];
  program = await keep(Program.start({ nodeArgs: chartNodeArgs(), args, kubeconfig, policy: POLICY }));
});

/** Which of the two Deployments are allowed in a namespace: `excused` by its exception, `served` without a Service. */
async function allowedIn(namespace: string): Promise<string[]> {
  const allowed: string[] = [];
  for (const [name, container] of [
    ['excused', { name: 'app', livenessProbe: { httpGet: { path: '/', port: 'nope' } } }],
    ['served', { name: 'app', ports: [{ containerPort: 8080 }], livenessProbe: { tcpSocket: { port: 8080 } } }],
  ] as const) {
    const template = { metadata: { labels: { app: name } }, spec: { containers: [container] } };
    const metadata = { name, namespace };
    const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { template } };
    const { body } = await ask(program.port, {
      path: '/validate?timeout=5s',
      body: JSON.stringify(reviewOf(object, { namespace })),
    });
    if ((JSON.parse(body) as { response: { allowed: boolean } }).response.allowed) allowed.push(name);
  }
  return allowed;
}

const all = async (): Promise<string[][]> => Promise.all(NAMESPACES.map(allowedIn));

/** The kinds of which objects are left out, each with the reason, as the metrics say. */
async function leftOut(): Promise<string[]> {
  const { body } = await askHealth(program.healthPort, '/metrics');
  const lines = body.matchAll(/^probewright_facts_left_out\{kind="(\w+)",reason="(\w+)"\} (\d+)$/gm);
  return [...lines]
    .filter(([, , , count]) => count !== '0')
    .map(([, kind = '', reason = '']) => `${kind} ${reason}`)
    .sort();
}

async function inTurns(count: number, write: (index: number) => void): Promise<void> {
  for (let index = 0; index < count; index++) {
    write(index);
    if (index % WRITES_A_PAUSE === 0) await pause(1);
  }
}

it('a tenant with thousands of large exceptions and Services harms only the tenant, until they are deleted', async () => {
  await expect.poll(all, { timeout: PATIENCE_MILLISECONDS }).toEqual([['excused'], [], ['excused']]);
  expect(await leftOut()).toEqual([]);

  await pause(CREATION_MILLISECONDS);
  await inTurns(EXCEPTIONS, (index) => api.put(exceptionsOf(TENANT), hostileException(index)));
  await inTurns(SERVICES, (index) => api.put(servicesOf(TENANT), hostileService(index)));
  api.put(exceptionsOf(TENANT), exception(TENANT));
  // The newest exception of the tenant has no effect. The oldest Service has.
  const flooded = [['excused'], [], ['excused']];
  await expect.poll(all, { timeout: PATIENCE_MILLISECONDS }).toEqual(flooded);
  const told = ['ProbeException bytes', 'ProbeException invalid', 'Service bytes', 'Service object'];
  await expect.poll(leftOut, { timeout: PATIENCE_MILLISECONDS }).toEqual(told);
  for (const kind of ['ProbeException', 'Service'])
    await expect
      .poll(() => program.output(), { timeout: PATIENCE_MILLISECONDS })
      .toMatch(new RegExp(`"kind":"${kind}","namespace":"${TENANT}".*objects over budget have no effect`));
  const lines = program.output().match(/"msg":"object/g)?.length ?? 0;

  await inTurns(EXCEPTIONS, (index) => api.remove(exceptionsOf(TENANT), named('e', index)));
  await inTurns(SERVICES, (index) => api.remove(servicesOf(TENANT), named('s', index)));
  await expect.poll(all, { timeout: PATIENCE_MILLISECONDS }).toEqual(NAMESPACES.map(() => ['excused']));
  await expect.poll(leftOut, { timeout: PATIENCE_MILLISECONDS }).toEqual([]);

  const peak = await program.peakMemory();
  report(
    'Hostile policies',
    `${EXCEPTIONS} large exceptions and ${SERVICES} large Services of a tenant`,
    `others are unaffected; at most ${mebibytes(peak)} resident, ${lines} log lines`,
  );
  expect(peak).toBeLessThan(CHART_LIMIT_BYTES);
});
