import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { MirroredObject } from '../../../src/cluster/client/mirrored-object.ts';
import { Reflector } from '../../../src/cluster/client/reflector.ts';
import { startFakeApiServer } from './fake-api-server.ts';
import { waitUntil } from './wait-until.ts';
import { runs } from '../../support/runs.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { Reflected, ReflectorContext, ReflectorListener } from '../../../src/cluster/client/reflector.ts';
import type { Disturbance, FakeApiServer, Fault, SeenRequest } from './fake-api-server.ts';

const namespaces = '/api/v1/namespaces';
const policies = '/apis/probewright.dev/v1alpha1/probepolicies';
const policiesOf = (namespace: string): string =>
  `/apis/probewright.dev/v1alpha1/namespaces/${namespace}/probepolicies`;

let api: FakeApiServer;
const running: Reflector[] = [];

beforeEach(async () => {
  api = await startFakeApiServer();
});
afterEach(async () => {
  for (const reflector of running.splice(0)) reflector.stop();
  await api.stop();
});

/** What a listener has made of all that it was told. */
interface Mirror {
  readonly reflector: Reflector;
  readonly objects: ReadonlyMap<string, KubernetesObject>;
  /** Problems, and `fine` for their end. */
  readonly troubles: string[];
  /** How many times the whole collection was handed over. */
  readonly replacements: () => number;
  /** How many objects were on each page. */
  readonly pages: readonly number[];
  readonly synced: Promise<void>;
}

interface Settings {
  readonly what?: Partial<Reflected>;
  readonly options?: Pick<ReflectorContext, 'retry' | 'watchMargin'>;
  readonly watchRenewal?: number;
  readonly now?: () => number;
  /** Called before anything that is told is remembered. */
  readonly told?: (how: keyof ReflectorListener) => void;
}

function reflect(settings: Settings = {}): Mirror {
  const { what, options, now = Date.now, watchRenewal, told } = settings;
  const objects = new Map<string, KubernetesObject>();
  const troubles: string[] = [];
  const pages: number[] = [];
  let present: Map<string, KubernetesObject> | undefined;
  let replacements = 0;
  const reflector = new Reflector(
    {
      client: new ApiClient(api.access, 'test'),
      now,
      random: Math.random,
      watchRenewal,
      retry: { minimum: 2, maximum: 20 },
      ...options,
    },
    { path: namespaces, ...what },
    {
      listing: () => {
        told?.('listing');
        present = new Map();
      },
      seen: (some) => {
        told?.('seen');
        if (present !== undefined) pages.push(some.length);
        for (const object of some) (present ?? objects).set(keyOf(object), object);
      },
      gone: (object) => {
        told?.('gone');
        objects.delete(keyOf(object));
      },
      listed: () => {
        told?.('listed');
        objects.clear();
        for (const [key, object] of present ?? []) objects.set(key, object);
        present = undefined;
        replacements++;
      },
      troubled: (problem) => {
        told?.('troubled');
        troubles.push(problem ?? 'fine');
      },
    },
  );
  running.push(reflector);
  return { reflector, objects, troubles, pages, replacements: () => replacements, synced: reflector.start() };
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function versions(objects: Iterable<KubernetesObject>): string {
  return JSON.stringify([...objects].map((each) => `${keyOf(each)}@${each.metadata.resourceVersion ?? ''}`).toSorted());
}

/** Until the mirror shows what the server has, object by object and version by version. */
async function agreement(mirror: Mirror, collection = namespaces): Promise<void> {
  await waitUntil(
    'the mirror shows what the server has',
    () => versions(mirror.objects.values()) === versions(api.list(collection)),
  );
}

async function watching(): Promise<void> {
  await waitUntil('a watch is open', () => api.openWatches() > 0);
}

function put(name: string, labels: Readonly<Record<string, string>> = {}): void {
  api.put(namespaces, { metadata: { name, labels }, spec: { finalizers: ['kubernetes'] } });
}

function isWatch(request: SeenRequest): boolean {
  return request.query['watch'] === 'true';
}

const lists = (): SeenRequest[] => api.requests.filter((request) => !isWatch(request));
const watches = (): SeenRequest[] => api.requests.filter(isWatch);

describe('a collection', () => {
  it('of 1,200 objects is read in pages and told as one', async () => {
    for (let i = 0; i < 1_200; i++) put(`n${i}`);
    const mirror = reflect();
    await mirror.synced;
    expect(versions(mirror.objects.values())).toBe(versions(api.list(namespaces)));
    expect(mirror.objects.size).toBe(1_200);
    expect(mirror.replacements()).toBe(1);
    expect(lists().map(({ query }) => [query['limit'], query['continue'] !== undefined])).toEqual([
      ['500', false],
      ['500', true],
      ['500', true],
    ]);
  });

  it('that changes while it is read in pages comes out right', async () => {
    for (let i = 0; i < 1_200; i++) put(`n${i}`);
    let pages = 0;
    api.intercept((request) => {
      if (isWatch(request) || ++pages !== 2) return undefined;
      api.remove(namespaces, 'n0');
      api.remove(namespaces, 'n1199');
      put('n600', { changed: 'yes' });
      put('new');
      return undefined;
    });
    await agreement(reflect());
  });

  it('is read from its beginning when a page has expired, which is no trouble', async () => {
    for (let i = 0; i < 700; i++) put(`n${i}`);
    let pages = 0;
    api.intercept(({ query }) => {
      if (query['continue'] !== undefined && pages++ === 0) api.compact();
      return undefined;
    });
    const mirror = reflect();
    await mirror.synced;
    expect(mirror.objects.size).toBe(700);
    expect(lists()).toHaveLength(4);
    expect(mirror.troubles).toEqual([]);
  });

  it('of large objects is read in pages of at most 1 MiB, whose number of objects grows again', async () => {
    const large = 'x'.repeat(700_000);
    for (let i = 0; i < 20; i++) api.put(namespaces, { metadata: { name: `a${10 + i}`, annotations: { large } } });
    for (let i = 0; i < 600; i++) put(`b${i}`);
    const mirror = reflect();
    await mirror.synced;
    expect(versions(mirror.objects.values())).toBe(versions(api.list(namespaces)));
    expect(lists().map(({ query }) => query['limit'])).toEqual(
      expect.arrayContaining(['500', '250', '125', '62', '31', '15', '7', '3', '1', '2', '256']),
    );
    expect(Math.max(...mirror.pages.slice(0, 6))).toBeLessThan(6);
    expect(Math.max(...mirror.pages)).toBeGreaterThan(200);
    expect(mirror.replacements()).toBe(1);
    expect(mirror.troubles).toEqual([]);
  });

  it('with an object that is longer than a page says which, and is read once the object is gone', async () => {
    put('a');
    api.put(namespaces, { metadata: { name: 'b', annotations: { large: 'x'.repeat(9_000_000) } } });
    const mirror = reflect();
    await waitUntil('that is told', () => mirror.troubles.length > 0);
    expect(mirror.troubles).toEqual(['GET /api/v1/namespaces: the answer has more than 4 MiB']);
    expect(lists().map(({ query }) => query['limit'])).toContain('1');
    api.remove(namespaces, 'b');
    await mirror.synced;
    expect([...mirror.objects.keys()]).toEqual(['/a']);
  });

  it('is complete when the list breaks off halfway: what vanished meanwhile is gone', async () => {
    for (let i = 0; i < 700; i++) put(`n${i}`);
    const mirror = reflect();
    await mirror.synced;
    await watching();
    let pages = 0;
    api.intercept((request) => (!isWatch(request) && ++pages === 2 ? 'cut' : undefined));
    api.disturbWatches('gone');
    await waitUntil('the second page was asked for', () => pages >= 2);
    api.remove(namespaces, 'n0');
    await agreement(mirror);
    expect(mirror.replacements()).toBe(2);
  });

  it('that is empty is synced all the same', async () => {
    const mirror = reflect();
    await mirror.synced;
    expect(mirror.replacements()).toBe(1);
    expect(mirror.reflector.status()).toMatchObject({ synced: true, problem: undefined });
  });

  it('of all namespaces is kept up to date', async () => {
    api.put(policiesOf('x'), { metadata: { name: 'a' }, spec: {} });
    const mirror = reflect({ what: { path: policies } });
    await mirror.synced;
    api.put(policiesOf('y'), { metadata: { name: 'a' }, spec: {} });
    await agreement(mirror, policies);
    api.remove(policiesOf('x'), 'a');
    await agreement(mirror, policies);
    expect([...mirror.objects.keys()]).toEqual(['y/a']);
  });
});

describe('what is asked for', () => {
  it('is metadata alone when nothing else is of use', async () => {
    put('before');
    const mirror = reflect({ what: { metadataOnly: true } });
    await mirror.synced;
    put('after');
    await agreement(mirror);
    expect(lists()[0]?.headers.accept).toBe('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io');
    expect(watches()[0]?.headers.accept).toBe('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
    for (const object of mirror.objects.values()) expect(object).not.toHaveProperty('spec');
  });

  it('is the whole of each object otherwise', async () => {
    put('before');
    const mirror = reflect();
    await mirror.synced;
    put('after');
    await agreement(mirror);
    for (const object of mirror.objects.values()) expect(object).toHaveProperty('spec.finalizers');
  });

  it('is one object only when it is mirrored by its name, in the form that RBAC allows', async () => {
    put('mine');
    put('other');
    const context = { client: new ApiClient(api.access, 'test'), now: Date.now, random: Math.random };
    const names: (string | undefined)[] = [];
    const changed = (): void => void names.push(mirror.object?.metadata.name);
    const mirror = new MirroredObject(context, namespaces, 'mine', { changed, troubled: () => undefined });
    running.push(mirror);
    await mirror.start();
    put('other', { changed: 'yes' });
    put('mine', { changed: 'yes' });
    await waitUntil('the change has come', () => mirror.object?.metadata.labels?.['changed'] === 'yes');
    expect(names).toEqual(['mine', 'mine']);
    for (const { query } of api.requests) expect(query['fieldSelector']).toBe('metadata.name=mine');
  });

  it('is a watch with bookmarks from where the list ended, that the server ends within minutes', async () => {
    put('a');
    await reflect().synced;
    await watching();
    const query = watches()[0]?.query ?? {};
    const version = String(Math.max(...api.list(namespaces).map(({ metadata }) => Number(metadata.resourceVersion))));
    expect(query).toMatchObject({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: version });
    expect(Number(query['timeoutSeconds'])).toBeGreaterThanOrEqual(240);
    expect(Number(query['timeoutSeconds'])).toBeLessThanOrEqual(360);
  });
});

const disturbances: readonly Disturbance[] = ['end', 'cut', 'gone', 'garbage', 'half-line', 'silence'];

/** Gives up a watch that has fallen silent after 300 ms. No server ends a watch that early: timeoutSeconds is 1 at least. */
const HASTE: Settings = { watchRenewal: 1000, options: { watchMargin: -700 } };

describe.each(disturbances)('a watch that is disturbed: %s', (how) => {
  it.each([
    ['', false],
    [' and history is forgotten', true],
  ])('loses nothing of what changes meanwhile%s', async (_, forget) => {
    for (const name of ['kept', 'changed', 'removed', 'reborn']) put(name);
    const mirror = reflect(HASTE);
    await mirror.synced;
    await watching();
    api.disturbWatches(how);
    put('changed', { how });
    put('new');
    api.remove(namespaces, 'removed');
    api.remove(namespaces, 'reborn');
    put('reborn', { how });
    if (forget) api.compact();
    await agreement(mirror);
    // And it goes on.
    put('last');
    await agreement(mirror);
    expect(mirror.reflector.status()).toMatchObject({ synced: true });
  });
});

describe('a watch that ends', () => {
  it.each(['end', 'cut'] as const)('goes on where it was, without reading everything again: %s', async (how) => {
    put('a');
    const mirror = reflect();
    await mirror.synced;
    for (const name of ['b', 'c', 'd']) {
      await watching();
      api.disturbWatches(how);
      put(name);
      await agreement(mirror);
    }
    expect(lists()).toHaveLength(1);
  });

  it('goes on from the last bookmark, so that it is not too old when only other things changed', async () => {
    let clock = 0;
    const mirror = reflect({ now: () => ++clock });
    await mirror.synced;
    await watching();
    for (let i = 0; i < 5; i++) api.put(policiesOf('x'), { metadata: { name: `p${i}` }, spec: {} });
    const before = clock;
    await waitUntil('bookmarks have come', () => clock >= before + 2);
    api.compact();
    api.disturbWatches('end');
    put('new');
    await agreement(mirror);
    expect(lists()).toHaveLength(1);
    expect(mirror.troubles).toEqual([]);
  });

  it.each(['end', 'cut'] as const)(
    'after a while is renewed at once, quiet as it was, and that is no trouble: %s',
    async (how) => {
      api.bookmarks(false);
      const mirror = reflect({ options: { retry: { minimum: 3_600_000, maximum: 3_600_000 } } });
      await mirror.synced;
      for (const count of [1, 2, 3]) {
        await waitUntil('the next watch is open', () => watches().length === count && api.openWatches() === 1);
        await sleep(700);
        api.disturbWatches(how);
      }
      await waitUntil('the last watch is open', () => watches().length === 4 && api.openWatches() === 1);
      expect([mirror.troubles, lists().length]).toEqual([[], 1]);
    },
  );

  it('because its time is over is renewed, without a word and without a list', async () => {
    api.bookmarks(false);
    const mirror = reflect({ watchRenewal: 1000 });
    await mirror.synced;
    await waitUntil('it was renewed twice', () => watches().length === 3);
    expect(watches().map(({ query }) => query['timeoutSeconds'])).toEqual(['1', '1', '1']);
    put('a');
    await agreement(mirror);
    expect([mirror.troubles, lists().length]).toEqual([[], 1]);
  });

  it('by its own time only, and not by the server, is renewed without a word', async () => {
    const mirror = reflect(HASTE);
    await mirror.synced;
    await watching();
    api.disturbWatches('silence');
    await waitUntil('another one is asked for', () => watches().length === 2);
    put('a');
    await agreement(mirror);
    expect([mirror.troubles, lists().length]).toEqual([[], 1]);
  });

  it('leaves the mirror without a watch until the next one is open', async () => {
    const mirror = reflect();
    await mirror.synced;
    await waitUntil('it watches', () => mirror.reflector.status().watching);
    api.intercept((request) => (isWatch(request) ? 'hang' : undefined));
    api.disturbWatches('end');
    await waitUntil('it does not watch', () => !mirror.reflector.status().watching);
    expect([mirror.reflector.status().problem, mirror.troubles]).toEqual([undefined, []]);
    api.intercept(undefined);
  });

  it('as soon as it is open is not asked for again in a loop', async () => {
    api.intercept((request) => (isWatch(request) ? { status: 200, body: '' } : undefined));
    const mirror = reflect({ options: { retry: { minimum: 3_600_000, maximum: 3_600_000 } } });
    await mirror.synced;
    await waitUntil('a watch was asked for', () => watches().length > 0);
    await sleep(200);
    expect(watches()).toHaveLength(1);
  });
});

describe('an API server that has too much to do', () => {
  it('is not asked for everything again: the watch goes on where it was', async () => {
    put('a');
    const mirror = reflect();
    await mirror.synced;
    await watching();
    api.intercept(({ query }) => (query['watch'] === 'true' ? { status: 429 } : undefined));
    const before = api.requests.length;
    api.disturbWatches('end');
    await waitUntil('it was tried again and again', () => api.requests.length > before + 5);
    put('b');
    api.intercept(undefined);
    await agreement(mirror);
    expect(mirror.replacements()).toBe(1);
  });
});

describe('the pauses between attempts', () => {
  it('begin small again once a watch has been open, though nothing came by it', async () => {
    api.bookmarks(false);
    let refusals = 0;
    const refuse = (): void => {
      refusals = 6;
      api.intercept((request) => (isWatch(request) && refusals-- > 0 ? { status: 503 } : undefined));
    };
    refuse();
    // Six attempts take half a second, twelve that follow one another take half a minute.
    const mirror = reflect({ options: { retry: { minimum: 10, maximum: 3_600_000 } } });
    await mirror.synced;
    await watching();
    await sleep(700);
    refuse();
    api.disturbWatches('end');
    await waitUntil('the watch is open again', () => refusals < 0 && api.openWatches() === 1, 10_000);
  });
});

describe('the state of a server that was restored from a backup', () => {
  it('is read whole when the server has not got as far as we had', async () => {
    put('kept');
    const restore = api.snapshot();
    const mirror = reflect();
    await mirror.synced;
    for (let i = 0; i < 5; i++) put(`lost${i}`);
    api.remove(namespaces, 'kept');
    await agreement(mirror);
    await api.pause();
    restore();
    await api.resume();
    await agreement(mirror);
    expect([...mirror.objects.keys()]).toEqual(['/kept']);
    put('new');
    await agreement(mirror);
  });
});

describe('an event that nobody understands', () => {
  it.each([
    '{"type":"MODIFIED"}',
    '{"type":"MODIFIED","object":{"metadata":{}}}',
    '{"type":"NONSENSE","object":{"metadata":{"name":"x"}}}',
    '{"type":"ERROR","object":{"kind":"Status","code":500,"reason":"InternalError","message":"etcd lost it"}}',
    '[]',
    'null',
  ])('makes the collection be read again: %s', async (line) => {
    put('a');
    let watched = 0;
    api.intercept((request) => {
      if (!isWatch(request) || watched++ > 0) return undefined;
      // What this watch should have told.
      put('b');
      api.remove(namespaces, 'a');
      return { status: 200, body: `${line}\n` };
    });
    const mirror = reflect();
    await waitUntil('it was read again', () => lists().length === 2);
    await agreement(mirror);
  });
});

describe('an event that is no JSON', () => {
  it.each([
    ['in whole', 80, 80, ''],
    ['cut short', 81, 77, '...'],
  ])('is told %s when it has %i characters', async (_, length, shown, dots) => {
    api.intercept((request) => (isWatch(request) ? { status: 200, body: `${'x'.repeat(length)}\n` } : undefined));
    const mirror = reflect();
    await waitUntil('it is told', () => mirror.troubles.length > 0);
    expect(mirror.troubles[0]).toBe(`a watch event is not JSON: ${'x'.repeat(shown)}${dots}`);
  });
});

describe('a first list that fails', () => {
  const status = (code: number, reason: string): Fault => ({
    status: code,
    body: { kind: 'Status', code, reason, message: 'because' },
  });

  it.each<[string, Fault, string]>([
    ['500', status(500, 'InternalError'), `GET ${namespaces}: HTTP 500 InternalError: because`],
    ['403', status(403, 'Forbidden'), `GET ${namespaces}: HTTP 403 Forbidden: because`],
    ['404', status(404, 'NotFound'), `GET ${namespaces}: HTTP 404 NotFound: because`],
    ['410', status(410, 'Expired'), `GET ${namespaces}: HTTP 410 Expired: because`],
    ['no JSON', { status: 200, body: 'hello' }, `GET ${namespaces}: the answer is not JSON: hello`],
    ['no list', { status: 200, body: { kind: 'List' } }, 'the list has no resourceVersion or no items'],
    ['cut', 'cut', `GET ${namespaces}: socket hang up`],
  ])('is told once and tried again until it works: %s', async (_, fault, problem) => {
    put('a');
    api.intercept(() => fault);
    const mirror = reflect();
    await waitUntil('it was tried again and again', () => api.requests.length > 5);
    expect(mirror.troubles).toEqual([problem]);
    expect(mirror.reflector.status()).toEqual({ synced: false, lastContact: undefined, problem, watching: false });
    expect(mirror.replacements()).toBe(0);
    api.intercept(undefined);
    await mirror.synced;
    expect(mirror.troubles).toEqual([problem, 'fine']);
    expect(mirror.reflector.status()).toMatchObject({ synced: true, problem: undefined });
    await agreement(mirror);
  });

  it('as nothing listens is told, and works once something does', async () => {
    await api.pause();
    const mirror = reflect();
    await waitUntil('it is told', () => mirror.troubles.length > 0);
    await api.resume();
    await mirror.synced;
    expect(mirror.troubles).toEqual([expect.stringMatching(/^GET \S+: connect ECONNREFUSED/), 'fine']);
  });
});

describe('a version that is too old', () => {
  /** A pause longer than the test. */
  const forever: Settings = { options: { retry: { minimum: 3_600_000, maximum: 3_600_000 } } };

  it('is followed by a list at once, however long the pauses have become', async () => {
    const mirror = reflect(forever);
    await mirror.synced;
    await watching();
    api.disturbWatches('gone');
    put('a');
    await agreement(mirror);
  });

  it('again, after that list, is a failure and makes a pause', async () => {
    const expired = { kind: 'Status', code: 410, reason: 'Expired', message: 'because' };
    api.intercept(({ query }) => (query['watch'] === 'true' ? { status: 410, body: expired } : undefined));
    const mirror = reflect(forever);
    await waitUntil('it is told', () => mirror.troubles.length > 0);
    await sleep(50);
    expect(mirror.troubles).toEqual([`WATCH ${namespaces}: HTTP 410 Expired: because`]);
    expect(lists()).toHaveLength(2);
  });
});

describe('contact', () => {
  it('that is lost is told once, and once when it is back', async () => {
    put('a');
    const mirror = reflect();
    await mirror.synced;
    await watching();
    api.intercept(() => ({ status: 503, body: 'overloaded' }));
    const before = api.requests.length;
    api.disturbWatches('end');
    await waitUntil('it was tried again and again', () => api.requests.length > before + 5);
    expect(mirror.troubles).toEqual([`WATCH ${namespaces}: HTTP 503: overloaded`]);
    // What is known stays known meanwhile.
    expect(mirror.objects.size).toBe(1);
    expect(mirror.reflector.status().synced).toBe(true);
    api.intercept(undefined);
    put('b');
    await agreement(mirror);
    expect(mirror.troubles.slice(1)).toEqual(['fine']);
  });

  it('has a time, which stands still while there is none', async () => {
    let clock = 1_000;
    const mirror = reflect({ now: () => clock, ...HASTE });
    await mirror.synced;
    expect(mirror.reflector.status().lastContact).toBe(1_000);
    clock = 2_000;
    await waitUntil('a bookmark has come', () => mirror.reflector.status().lastContact === 2_000);
    api.intercept(() => 'cut');
    api.disturbWatches('silence');
    await waitUntil('it is told', () => mirror.troubles.length > 0);
    clock = 3_000;
    const before = api.requests.length;
    await waitUntil('it was tried again', () => api.requests.length > before + 3);
    expect(mirror.reflector.status().lastContact).toBe(2_000);
  });

  it('is not lost with a watch that is too old', async () => {
    const mirror = reflect();
    await mirror.synced;
    await watching();
    api.disturbWatches('gone');
    put('a');
    await agreement(mirror);
    expect(mirror.troubles).toEqual([]);
  });
});

describe('a listener that throws', () => {
  it.each(['seen', 'gone', 'listing', 'listed'] as const)('is told again: %s', async (which) => {
    put('a');
    let thrown = 0;
    const mirror = reflect({
      told: (how) => {
        if (how === which && thrown++ === 0) throw new Error('not now');
      },
    });
    await mirror.synced;
    put('b');
    api.remove(namespaces, 'a');
    await agreement(mirror);
    put('c');
    await agreement(mirror);
    expect(thrown).toBeGreaterThan(1);
    expect(mirror.troubles[0]).toContain('not now');
    expect(mirror.troubles.at(-1)).toBe('fine');
  });
});

describe('an event', () => {
  it('that is as long as an object may be is told', async () => {
    const mirror = reflect();
    await mirror.synced;
    await watching();
    api.put(namespaces, { metadata: { name: 'large', annotations: { large: 'x'.repeat(3_000_000) } } });
    await agreement(mirror);
    expect(mirror.replacements()).toBe(1);
  });

  it('that is longer is not read: the collection is, as soon as it can be', async () => {
    put('a');
    const mirror = reflect();
    await mirror.synced;
    await watching();
    api.put(namespaces, { metadata: { name: 'b', annotations: { large: 'x'.repeat(9_000_000) } } });
    await waitUntil('that is told', () => mirror.troubles.length > 0);
    expect(mirror.troubles).toEqual(['WATCH /api/v1/namespaces: a line has more than 4 MiB']);
    api.remove(namespaces, 'b');
    put('c');
    await agreement(mirror);
    expect(mirror.replacements()).toBe(2);
  });
});

describe('stop', () => {
  it('is the end of all that is told, and of the watch', async () => {
    const told: string[] = [];
    const mirror = reflect({ told: (how) => told.push(how) });
    await mirror.synced;
    await watching();
    put('a');
    await agreement(mirror);
    // Some of what it is still to hear is on its way.
    for (let i = 0; i < 50; i++) put(`late${i}`);
    mirror.reflector.stop();
    const before = [...told];
    const requests = api.requests.length;
    await waitUntil('the watch is closed', () => api.openWatches() === 0);
    await sleep(100);
    expect(told).toEqual(before);
    expect(api.requests).toHaveLength(requests);
  });

  it('from within a callback is the end too', async () => {
    put('a');
    const told: string[] = [];
    const mirror: Mirror = reflect({
      told: (how) => {
        told.push(how);
        mirror.reflector.stop();
      },
    });
    await mirror.synced;
    put('b');
    await sleep(100);
    expect(told).toEqual(['listing']);
  });

  it('lets those go on who wait for the first sync', async () => {
    api.intercept(() => 'hang');
    const mirror = reflect();
    await waitUntil('the list was asked for', () => api.requests.length > 0);
    mirror.reflector.stop();
    await mirror.synced;
    expect(mirror.reflector.status().synced).toBe(false);
    await sleep(50);
    expect(mirror.troubles).toEqual([]);
  });

  const moments: readonly [string, Fault | undefined, () => boolean][] = [
    ['while it watches', undefined, () => api.openWatches() > 0],
    ['while it waits for a list', 'hang', () => api.requests.length > 0],
    ['while it waits to try again', 'cut', () => api.requests.length > 0],
  ];
  it.each(moments)('leaves nothing behind that keeps a process alive: %s', async (_, fault, ready) => {
    api.intercept(() => fault);
    const script = fileURLToPath(new URL('reflect-until-stopped.ts', import.meta.url));
    const child = fork(script, [api.access.server]);
    try {
      await waitUntil('it has got that far', ready);
      child.send('stop');
      // Waiting in vain, for 30 s or more, is how a request or a pause that was left behind shows.
      await waitUntil('the process has ended', () => child.exitCode !== null, 15_000);
      expect(child.exitCode).toBe(0);
    } finally {
      if (child.exitCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    }
  });
});

describe('whatever happens', () => {
  type Step =
    | { readonly do: 'put' | 'remove'; readonly name: string }
    | { readonly do: 'disturb'; readonly how: Disturbance }
    | { readonly do: 'compact' | 'pause' | 'resume' | 'watching' | 'breathe' };
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('disturb' as const), how: fc.constantFrom(...disturbances) }) },
    {
      weight: 6,
      arbitrary: fc.constantFrom<Step>(
        { do: 'compact' },
        { do: 'pause' },
        { do: 'resume' },
        { do: 'watching' },
        { do: 'breathe' },
      ),
    },
  );

  async function take(one: Step, state: { paused: boolean }): Promise<void> {
    switch (one.do) {
      case 'put':
        return put(one.name);
      case 'remove':
        if (api.get(namespaces, one.name) !== undefined) api.remove(namespaces, one.name);
        return;
      case 'disturb':
        return api.disturbWatches(one.how);
      case 'compact':
        return api.compact();
      case 'pause':
        await api.pause();
        state.paused = true;
        return;
      case 'resume':
        if (state.paused) await api.resume();
        state.paused = false;
        return;
      case 'watching':
        return state.paused ? undefined : watching();
      case 'breathe':
        return sleep(5);
    }
  }

  it('the mirror shows in the end what the server has', async () =>
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const mirror = reflect(HASTE);
        const state = { paused: false };
        try {
          for (const one of steps) await take(one, state);
        } finally {
          if (state.paused) await api.resume();
        }
        await agreement(mirror);
        mirror.reflector.stop();
        await waitUntil('its watch is closed', () => api.openWatches() === 0);
      }),
      { numRuns: runs(60) },
    ));
});
