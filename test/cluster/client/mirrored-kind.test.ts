import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../../src/cluster/client/api-client.ts';
import { MirroredKind } from '../../../src/cluster/client/mirrored-kind.ts';
import { ProjectedObjects } from '../../../src/cluster/client/projected-objects.ts';
import { startFakeApiServer } from './fake-api-server.ts';
import { waitUntil } from './wait-until.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { KindToMirror } from '../../../src/cluster/client/mirrored-kind.ts';
import type { FakeApiServer } from './fake-api-server.ts';

/** What is kept of a Service. */
interface Service {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly selector: unknown;
  readonly ports: unknown;
}

/** Services, as an example of a kind. Nothing is kept of a Service without a selector. */
const SERVICES: KindToMirror<Service> = {
  path: '/api/v1/services',
  omit: ['labels', 'annotations'],
  project: ({ metadata: { name, namespace }, ...rest }) => {
    const { selector, ports } = (rest as { spec?: { selector?: unknown; ports?: unknown } }).spec ?? {};
    return selector === undefined ? undefined : { name, namespace, selector, ports };
  },
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const inNamespace = (namespace: string): string => `/api/v1/namespaces/${namespace}/services`;

let api: FakeApiServer;
const running: MirroredKind<Service>[] = [];

beforeEach(async () => {
  api = await startFakeApiServer();
});
afterEach(async () => {
  for (const kind of running.splice(0)) kind.stop();
  await api.stop();
});

interface Mirror {
  readonly services: ProjectedObjects<Service>;
  /** Keys of Services, in the order of their changes. */
  readonly changes: string[];
  readonly troubles: (string | undefined)[];
  readonly synced: Promise<void>;
  readonly kind: MirroredKind<Service>;
  updates: number;
}

function mirror(project = SERVICES.project): Mirror {
  const changes: string[] = [];
  const troubles: (string | undefined)[] = [];
  const services = new ProjectedObjects<Service>((key) => changes.push(key));
  const kind: MirroredKind<Service> = new MirroredKind(
    new ApiClient(api.access, 'test'),
    { ...SERVICES, project },
    services,
    { updated: () => made.updates++, troubled: (problem) => troubles.push(problem) },
    { now: Date.now, random: Math.random },
    { retry: { minimum: 2, maximum: 20 } },
  );
  running.push(kind);
  const made: Mirror = { services, changes, troubles, kind, synced: kind.start(), updates: 0 };
  return made;
}

function put(name: string, port = 80, spec: object = { selector: { app: name }, clusterIP: '10.0.0.1' }): void {
  api.put(inNamespace('apps'), {
    metadata: { name, annotations: { note: 'x' } },
    spec: { ...spec, ports: [{ port, targetPort: 'http' }] },
  });
}

const keys = ({ services }: Mirror): string[] => [...services.snapshot().keys()].toSorted();
const portsOf = ({ services }: Mirror, name: string): unknown => services.find({ namespace: 'apps', name })?.ports;
const isWatching = async ({ kind }: Mirror): Promise<void> =>
  waitUntil('a watch is open', () => kind.status().watching && api.openWatches() > 0);

describe('a mirrored kind', () => {
  it('keeps what its projection reads of each object, and nothing of objects that it reads nothing of', async () => {
    put('web');
    put('headless', 80, {});
    const mirrored = mirror();
    await mirrored.synced;
    expect(Object.fromEntries(mirrored.services.snapshot())).toEqual({
      'apps/web': {
        name: 'web',
        namespace: 'apps',
        selector: { app: 'web' },
        ports: [{ port: 80, targetPort: 'http' }],
      },
    });
  });

  it('follows the watch: new objects, changes, deletions, and objects that the projection no longer keeps', async () => {
    put('web');
    const mirrored = mirror();
    await mirrored.synced;
    await isWatching(mirrored);
    put('db');
    put('web', 8080);
    await waitUntil('both are there', () => keys(mirrored).length === 2 && portsOf(mirrored, 'web') !== undefined);
    await waitUntil('the change is there', () => JSON.stringify(portsOf(mirrored, 'web')).includes('8080'));
    put('db', 80, {});
    api.remove(inNamespace('apps'), 'web');
    await waitUntil('both are gone', () => mirrored.services.size === 0);
    expect(mirrored.changes).toEqual(['apps/web', 'apps/db', 'apps/web', 'apps/db', 'apps/web']);
  });

  it('reports no change when an object changes in what is not kept', async () => {
    put('web');
    const mirrored = mirror();
    await mirrored.synced;
    await isWatching(mirrored);
    const { updates } = mirrored;
    put('web', 80, { selector: { app: 'web' }, clusterIP: '10.0.0.2' });
    await waitUntil('the event has come', () => mirrored.updates > updates);
    expect(mirrored.changes).toEqual(['apps/web']);
  });

  it('keeps what it holds during a list, and drops at the end what was not listed', async () => {
    for (let index = 0; index < 600; index++) put(`s${index}`);
    const mirrored = mirror();
    await mirrored.synced;
    await isWatching(mirrored);
    const sizes: number[] = [];
    api.intercept((request) => {
      if (request.query['watch'] === undefined) sizes.push(mirrored.services.size);
      return undefined;
    });
    await api.pause();
    for (let index = 0; index < 300; index++) api.remove(inNamespace('apps'), `s${index}`);
    put('new');
    api.compact();
    await api.resume();
    await waitUntil('the new list is in', () => mirrored.services.size === 301);
    expect(sizes.filter((size) => size < 600)).toEqual([]);
    expect([mirrored.services.has('apps/s0'), mirrored.services.has('apps/new')]).toEqual([false, true]);
  });

  it('is synced once a list has ended, and keeps what held before when a list breaks off', async () => {
    for (let index = 0; index < 600; index++) put(`s${index}`);
    let isBroken = true;
    api.intercept((request) => (request.query['continue'] !== undefined && isBroken ? { status: 500 } : undefined));
    const mirrored = mirror();
    await waitUntil('the first page is in', () => mirrored.services.size === 500 && mirrored.troubles.length > 0);
    expect([mirrored.kind.status().synced, mirrored.updates]).toEqual([false, 0]);
    isBroken = false;
    await mirrored.synced;
    expect([mirrored.services.size, mirrored.updates > 0]).toEqual([600, true]);

    await isWatching(mirrored);
    isBroken = true;
    api.remove(inNamespace('apps'), 's0');
    api.compact();
    const { length } = mirrored.troubles;
    api.disturbWatches('gone');
    await waitUntil('the next list breaks off', () => mirrored.troubles.length > length);
    expect([mirrored.services.size, mirrored.services.has('apps/s599')]).toEqual([599, true]);
  });

  it('has dropped each page of a list when it asks for the next page', async () => {
    for (let index = 0; index < 1_200; index++) put(`s${index}`);
    const objects: WeakRef<KubernetesObject>[] = [];
    const held: number[] = [];
    api.intercept((request) => {
      if (request.query['watch'] !== undefined) return undefined;
      collectGarbage();
      held.push(objects.filter((object) => object.deref() !== undefined).length);
      return undefined;
    });
    const mirrored = mirror((object, before) => {
      objects.push(new WeakRef(object));
      return SERVICES.project(object, before);
    });
    await mirrored.synced;
    expect([objects.length, held]).toEqual([1_200, [0, 0, 0]]);
  });
});
