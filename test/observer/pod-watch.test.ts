import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../src/cluster/client/api-client.ts';
import { PodWatch } from '../../src/observer/pod-watch.ts';
import { startFakeApiServer, type FakeApiServer } from '../cluster/client/fake-api-server.ts';
import { waitUntil } from '../cluster/client/wait-until.ts';

const PODS = '/api/v1/namespaces/shop/pods';

let api: FakeApiServer;
let watch: PodWatch;
let clock: number;
let heard: string[];
let logged: string[];

const pod = (name: string, phase = 'Running'): object => ({ metadata: { name }, status: { phase } });

beforeEach(async () => {
  api = await startFakeApiServer();
  [clock, heard, logged] = [1000, [], []];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void logged.push(line) });
  const client = new ApiClient(api.access, 'test');
  watch = new PodWatch({ client, now: () => clock, random: () => 0.5, log, watchRenewal: 60_000 });
  watch.listen({
    listing: () => void heard.push('listing'),
    seen: ({ metadata }, at) => void heard.push(`seen ${metadata.name} at ${at}`),
    gone: ({ metadata }, at) => void heard.push(`gone ${metadata.name} at ${at}`),
    listed: () => void heard.push('listed'),
  });
});
afterEach(async () => {
  watch.stop();
  await api.stop();
});

const hears = (last: string): Promise<void> => waitUntil(last, () => heard.at(-1) === last);

describe('the watch of Pods', () => {
  it('lists the Pods that have not succeeded, those that have failed as gone, then reports changes with the instant at which they came', async () => {
    api.put(PODS, pod('a'));
    api.put(PODS, pod('done', 'Succeeded'));
    api.put(PODS, pod('lost', 'Failed'));
    watch.start();
    await hears('listed');
    clock = 2000;
    api.put(PODS, pod('b', 'Pending'));
    await hears('seen b at 2000');
    clock = 3000;
    api.remove(PODS, 'a');
    await hears('gone a at 3000');
    clock = 4000;
    api.put(PODS, pod('b', 'Succeeded'));
    await hears('gone b at 4000');
    expect(heard).toEqual([
      ...[
        'listing',
        'seen a at 1000',
        'gone lost at 1000',
        'listed',
        'seen b at 2000',
        'gone a at 3000',
        'gone b at 4000',
      ],
    ]);
    expect(logged).toEqual([]);
  });

  it('says how it goes once it has begun, with a problem only while there is one', async () => {
    expect(watch.details()).toEqual({});
    api.intercept(({ path }) => (path === '/api/v1/pods' ? { status: 403 } : undefined));
    watch.start();
    await waitUntil('a problem', () => logged.length > 0);
    expect(watch.details()).toEqual({
      pods: { synced: false, watching: false, problem: expect.stringContaining('403') as string },
    });
    expect(logged.join()).toContain('Pods cannot be watched now');
    api.intercept(undefined);
    await waitUntil('a watch is open', () => logged.length > 1);
    expect(logged.at(-1)).toContain('Pods can be watched again');
    await waitUntil('it watches', () => JSON.stringify(watch.details()) === '{"pods":{"synced":true,"watching":true}}');
  });

  it('lists in pages of 500 Pods', async () => {
    for (let index = 0; index < 501; index++) api.put(PODS, pod(`pod-${index}`));
    watch.start();
    await hears('listed');
    expect(heard).toHaveLength(503);
    const lists = api.requests.filter(({ path, query }) => path === '/api/v1/pods' && query['watch'] !== 'true');
    expect(lists.map(({ query }) => query['limit'])).toEqual(['500', '500']);
  });

  it('lists again when changes may have been missed', async () => {
    api.put(PODS, pod('a'));
    watch.start();
    await waitUntil('a watch is open', () => api.openWatches() === 1);
    heard.length = 0;
    api.disturbWatches('gone');
    await hears('listed');
    expect(heard).toEqual(['listing', 'seen a at 1000', 'listed']);
    expect(logged).toEqual([]);
  });

  it('reports a listener that throws, and goes on with the other listeners and Pods', async () => {
    watch.listen({
      seen: () => {
        throw new Error('no such Pod');
      },
      gone: () => undefined,
    });
    api.put(PODS, pod('a'));
    watch.start();
    await hears('listed');
    api.put(PODS, pod('b'));
    await hears('seen b at 1000');
    await waitUntil('two failures', () => logged.length === 2);
    for (const line of logged) expect(line).toMatch(/"no such Pod".*"a Pod cannot be evaluated"/s);
    expect(api.requests.filter(({ query }) => query['watch'] !== 'true')).toHaveLength(1);
  });
});
