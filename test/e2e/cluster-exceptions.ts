import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exceptionDocument } from '../support/exceptions.ts';
import { type Cluster } from './cluster.ts';
import { MERGE } from './http-requests.ts';
import { deployment as deploymentNamed, deploymentsOf } from './pods.ts';
import { waitUntil } from './processes.ts';
import { type Release } from './release.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const EXCEPTIONS = '/apis/probewright.dev/v1alpha1/namespaces/apps/probeexceptions';
const DEPLOYMENTS = deploymentsOf('apps');
/** Seconds until the end: long enough for the calls before the end on a busy machine. */
const SECONDS = 8;

interface ExceptionObject {
  readonly status?: { readonly state?: string; readonly matches?: number; readonly lastMatched?: string };
}

/** The end of an exception passes while the replicas run. */
export function exceptionScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('exceptions', () => {
    let end = 0;

    beforeAll(async () => {
      await release().restart();
    });

    afterAll(async () => {
      for (const name of ['web', 'late']) await cluster().delete(`${DEPLOYMENTS}/${name}`);
      for (const name of ['short', 'long']) await cluster().delete(`${EXCEPTIONS}/${name}`);
      await release().endAll();
    });

    it('are refused by the API server when they are malformed', async () => {
      const spec = exception('short', Date.now())['spec'] as JsonObject;
      const answers = await Promise.all(
        [
          { ...spec, checks: ['*'] },
          { ...spec, checks: [] },
          { ...spec, reason: 'short' },
          { ...spec, owner: '' },
          { ...spec, expires: '2027-02-29T00:00:00Z' },
          { ...spec, expires: '2027-01-31' },
          { ...spec, workloads: [{ kind: 'deployment', name: 'web' }] },
          without(spec, 'expires'),
        ].map((bad) => cluster().request('POST', EXCEPTIONS, { ...exception('bad', Date.now()), spec: bad })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 422));
    });

    it('allow the violation until their end, without a restart', { timeout: 60_000 }, async () => {
      expect(await statusOf('POST', DEPLOYMENTS, deployment('web'))).toBe(403);
      end = Math.ceil(Date.now() / 1000 + SECONDS) * 1000;
      await cluster().apply(exception('short', end), exception('long', end + 86_400_000, 'other'));
      await waitUntil(
        'the exception counts',
        async () => (await statusOf('POST', `${DEPLOYMENTS}?dryRun=All`, deployment('web'))) === 201,
      );
      expect(await statusOf('POST', DEPLOYMENTS, deployment('web'))).toBe(201);
      const before = await generations();
      expect(Date.now()).toBeLessThan(end);
      await waitUntil('the end has passed', () => Promise.resolve(Date.now() >= end), 60_000);
      expect(await statusOf('POST', `${DEPLOYMENTS}?dryRun=All`, deployment('late'))).toBe(403);
      // Nobody edited the exception for the end to have an effect. A status leaves the generation as it is.
      expect((await generations())['short']).toBe(before['short']);
    });

    it('warn about an existing object after their end, and deny the next changed template', async () => {
      const labelled = await patch({ metadata: { labels: { tier: 'old' } } });
      const changed = await patch({ spec: { template: { metadata: { annotations: { changed: 'yes' } } } } });
      expect([labelled, changed]).toEqual([200, 403]);
    });

    it('have a status with state and matches', { timeout: 120_000 }, async () => {
      const read = async (name: string): Promise<ExceptionObject['status']> =>
        (await cluster().read<ExceptionObject>(`${EXCEPTIONS}/${name}`)).status;
      await waitUntil('the status tells the end', async () => (await read('short'))?.state === 'Expired', 100_000);
      await waitUntil('the match is counted', async () => ((await read('short'))?.matches ?? 0) > 0, 100_000);
      await waitUntil('the other has its state', async () => (await read('long'))?.state === 'Expiring', 100_000);
    });

    async function statusOf(method: string, path: string, body: JsonObject): Promise<number> {
      return (await cluster().request(method, path, body)).status;
    }

    async function patch(change: JsonObject): Promise<number> {
      return (await cluster().request('PATCH', `${DEPLOYMENTS}/web`, change, MERGE)).status;
    }

    async function generations(): Promise<Record<string, number>> {
      const { items } = await cluster().read<{ items: { metadata: { name: string; generation: number } }[] }>(
        EXCEPTIONS,
      );
      return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.generation]));
    }
  });
}

function exception(name: string, end: number, workload = 'web'): JsonObject {
  const expires = new Date(end).toISOString().replace('.000Z', 'Z');
  return exceptionDocument({ workloads: [{ kind: 'Deployment', name: workload }], expires }, { name });
}

const readinessProbe = { httpGet: { path: '/up', port: 'htpp' } };
const deployment = (name: string): JsonObject =>
  deploymentNamed(name, { namespace: 'apps', container: { readinessProbe } });

function without(spec: JsonObject, field: string): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => key !== field));
}
