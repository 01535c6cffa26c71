import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { digestOf, KnownParams } from '../../../src/observer/native/known-params.ts';
import { startFakeApiServer, type FakeApiServer } from '../../cluster/client/fake-api-server.ts';
import { waitUntil } from '../../cluster/client/wait-until.ts';

const HOME = 'probewright';
const paramsOf = (namespace: string): string =>
  `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/namespaceprobes`;

let api: FakeApiServer;
let changes: (string | undefined)[];

beforeEach(async () => {
  api = await startFakeApiServer();
  onTestFinished(() => api.stop());
  changes = [];
});

const put = (namespace: string, name: string, spec?: object): void => {
  api.put(paramsOf(namespace), { metadata: { name }, ...(spec && { spec }) });
};

async function known(): Promise<KnownParams> {
  const context = {
    client: new ApiClient(api.access, 'test'),
    now: Date.now,
    random: Math.random,
    retry: { minimum: 2, maximum: 20 },
  };
  const params = new KnownParams(
    context,
    HOME,
    (namespace) => changes.push(namespace),
    () => undefined,
  );
  onTestFinished(() => params.reflector.stop());
  await params.reflector.start();
  return params;
}

/** What is known, in words. */
const shown = ({ namespaces, cluster, except }: KnownParams): unknown => ({
  namespaces: Object.fromEntries(namespaces),
  cluster,
  except: [...except],
});
const NOTHING = { namespaces: {}, cluster: undefined, except: [] };
const untilChanges = (count: number): Promise<void> =>
  waitUntil(`${count} changes are told`, () => changes.length === count);

describe('the params that are known', () => {
  const [own, all] = [{ layers: [1] }, { except: ['shop', 7], layers: [] }];

  it('are those with the names that the native policy reads, of each namespace and of the cluster', async () => {
    put('shop', 'effective', own);
    put('apps', 'effective');
    put(HOME, 'cluster', all);
    put('shop', 'other', own);
    put('shop', 'cluster', all);
    const params = await known();
    const namespaces = { apps: digestOf({}), shop: digestOf(own) };
    expect(shown(params)).toEqual({ namespaces, cluster: digestOf(all), except: ['shop'] });
    expect(new Set(changes)).toEqual(new Set(['shop', 'apps', undefined]));
    expect(changes).toHaveLength(3);
  });

  it('tell a change of what they say alone', async () => {
    put('shop', 'effective', own);
    put(HOME, 'cluster', all);
    const params = await known();
    await untilChanges(2);
    put('shop', 'effective', own);
    put(HOME, 'cluster', all);
    put('shop', 'effective', { layers: [2] });
    put(HOME, 'cluster', { layers: [], except: [] });
    await untilChanges(4);
    expect(changes.slice(2)).toEqual(['shop', undefined]);
    expect(shown(params)).toEqual({
      namespaces: { shop: digestOf({ layers: [2] }) },
      cluster: digestOf({ layers: [], except: [] }),
      except: [],
    });
  });

  it('go when they are deleted', async () => {
    put('shop', 'effective', own);
    put(HOME, 'cluster', all);
    const params = await known();
    await waitUntil('the watch is open', () => api.openWatches() === 1);
    api.remove(paramsOf('shop'), 'effective');
    await untilChanges(3);
    api.remove(paramsOf(HOME), 'cluster');
    await untilChanges(4);
    expect(changes.slice(2)).toEqual(['shop', undefined]);
    expect(shown(params)).toEqual(NOTHING);
  });

  it('go when they are deleted while nobody watches, and others stay', async () => {
    put('shop', 'effective', own);
    put('apps', 'effective', own);
    put(HOME, 'cluster', all);
    const params = await known();
    await waitUntil('the watch is open', () => api.openWatches() === 1);
    await api.pause();
    api.remove(paramsOf('shop'), 'effective');
    api.remove(paramsOf(HOME), 'cluster');
    api.compact();
    await api.resume();
    await untilChanges(5);
    expect(new Set(changes.slice(3))).toEqual(new Set(['shop', undefined]));
    expect(shown(params)).toEqual({ ...NOTHING, namespaces: { apps: digestOf(own) } });
  });
});

it('a digest is that of the JSON, whatever the order of the members', () => {
  const one = { a: 1, b: { c: [1, { d: 2, e: 3 }], f: 'x' } };
  expect(digestOf({ b: { f: 'x', c: [1, { e: 3, d: 2 }] }, a: 1 })).toBe(digestOf(one));
  for (const other of [{ ...one, a: 2 }, { ...one, b: { ...one.b, c: [{ d: 2, e: 3 }, 1] } }, {}])
    expect(digestOf(other)).not.toBe(digestOf(one));
});
