import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { policyDocument } from '../support/worlds.ts';
import { type Cluster } from './cluster.ts';
import { MERGE } from './http-requests.ts';
import { waitUntil } from './processes.ts';
import { type Release } from './release.ts';
import { readable, report } from './scenario-figure.ts';

/** Policies that are as large as etcd stores them. */
const hostile = ['huge-0', 'huge-1', 'huge-2', 'huge-3', 'huge-4'];
/** A spec that is larger than a status without it. */
const containers = ['app', ...Array.from({ length: 60 }, (_, index) => `container-${index}-${'x'.repeat(48)}`)];
/** What makes a policy large. */
interface Size {
  readonly labels: number;
  /** Characters of an annotation. */
  readonly padding: number;
}

/** Policies whose status etcd does not take delay nobody else's. */
export function statusScenarios(cluster: () => Cluster, release: () => Release): void {
  describe('statuses of policies', () => {
    let largest: Size;

    beforeAll(async () => {
      largest = await largestPolicy();
      await release().restart({ args: ['--drain-seconds', '0'] });
    });

    afterAll(async () => {
      for (const name of hostile) await cluster().delete(path('apps', name));
      await cluster().delete(path('others', 'unrelated'));
      await release().endAll();
    });

    it('of five policies just under the limit of etcd do not delay that of another', { timeout: 120_000 }, async () => {
      for (const name of hostile) expect((await create(name, largest)).status).toBe(201);
      await waitUntil('they are set aside', async () => (await setAside('too-large')) === hostile.length, 60_000);
      const applied = performance.now();
      await cluster().apply(policyDocument({ containers: ['app'] }, 'unrelated', 'others'));
      await waitUntil('the other has its status', async () => (await read('others', 'unrelated')).status !== undefined);
      const took = performance.now() - applied;
      report('five policies whose status is too large', `another has its status after ${readable(took)}`);
      expect(took).toBeLessThan(5_000);
      for (const name of hostile) expect((await read('apps', name)).status).toBeUndefined();
    });

    it('are written when the policy has become smaller', async () => {
      const smaller = { metadata: { annotations: { 'example.com/padding': '' } } };
      expect((await cluster().request('PATCH', path('apps', 'huge-0'), smaller, MERGE)).status).toBe(200);
      await waitUntil('it has a status', async () => (await read('apps', 'huge-0')).status !== undefined);
      await waitUntil('it is counted no more', async () => (await setAside('too-large')) === hostile.length - 1);
    });

    /** The largest policy that can be stored, to within 32 bytes. */
    async function largestPolicy(): Promise<Size> {
      const labels = await most([500, 5_000], 1, (count) => fits({ labels: count, padding: 100_000 }));
      const padding = await most([100_000, 102_000], 32, (length) => fits({ labels, padding: length }));
      return { labels, padding };
    }

    async function fits(size: Size): Promise<boolean> {
      const { status } = await create('huge-x', size);
      await cluster().delete(path('apps', 'huge-x'));
      return status === 201;
    }

    function create(name: string, size: Size): Promise<{ status: number; body: string }> {
      const annotations = { 'example.com/padding': 'x'.repeat(size.padding) };
      const metadata = { name, namespace: 'apps', labels: labelsOf(size.labels), annotations };
      return cluster().request('POST', path('apps'), { ...policyDocument({ containers }), metadata });
    }

    async function setAside(reason: string): Promise<number | undefined> {
      const samples = await (await release().leader()).metric('probewright_policy_statuses_set_aside');
      return samples.get(`{reason="${reason}"}`);
    }

    function read(namespace: string, name: string): Promise<{ readonly status?: object }> {
      return cluster().read(path(namespace, name));
    }
  });
}

/** No bound of a schema applies to labels. */
function labelsOf(count: number): Record<string, string> {
  const prefix = ['x', 'y', 'z', 'w'].map((letter) => letter.repeat(60)).join('.');
  const names = Array.from(
    { length: count },
    (_, index) => `${prefix}.example/label-${String(index).padStart(50, '0')}`,
  );
  return Object.fromEntries(names.map((name) => [name, 'v'.repeat(63)]));
}

/** The largest number that works, to within `precision`; the first of the range must work, and its second must not. */
async function most(
  range: readonly [number, number],
  precision: number,
  works: (number: number) => Promise<boolean>,
): Promise<number> {
  let [good, bad] = range;
  expect([await works(good), await works(bad)]).toEqual([true, false]);
  while (bad - good > precision) {
    const middle = Math.floor((good + bad) / 2);
    if (await works(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function path(namespace: string, name?: string): string {
  const collection = `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/probepolicies`;
  return name === undefined ? collection : `${collection}/${name}`;
}
