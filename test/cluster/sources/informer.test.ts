import { describe, expect, it, onTestFinished } from 'vitest';
import { NAMESPACES, PROBE_EXCEPTIONS } from '../../../src/cluster/sources/fact-kinds.ts';
import { Informer } from '../../../src/cluster/sources/informer.ts';
import { FakeTime } from '../fake-time.ts';
import { AnsweringClient } from '../client/answering-client.ts';
import { exceptionDocument } from '../../support/exceptions.ts';
import type { KubernetesObject } from '../../../src/cluster/client/kubernetes-object.ts';
import type { Named, StoredKind } from '../../../src/cluster/sources/object-store.ts';

const exception = (name: string, minute = 0): KubernetesObject => {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  return exceptionDocument({}, { name, uid: name, creationTimestamp }) as unknown as KubernetesObject;
};
const ONE = { ...PROBE_EXCEPTIONS, limits: { ...PROBE_EXCEPTIONS.limits, objects: 1 } };

class World<T extends Named> {
  readonly time = new FakeTime();
  objects: readonly object[] = [];
  changes = 0;
  readonly client = new AnsweringClient(() => ({
    metadata: { resourceVersion: '1' },
    items: structuredClone(this.objects),
  }));
  readonly informer: Informer<T>;

  constructor(kind: StoredKind<T>) {
    const context = { client: this.client, now: () => 0, random: () => 0, timer: this.time.timer };
    this.informer = new Informer(context, kind, { changed: () => (this.changes += 1), troubled: () => undefined });
    onTestFinished(() => this.informer.stop());
  }

  get lists(): number {
    return this.client.requests.length;
  }

  /** What is kept, once all that needs no time has happened. */
  async kept(): Promise<readonly string[]> {
    await this.time.settle();
    return this.informer.store.all().map(({ name }) => name);
  }
}

describe('an informer', () => {
  it('lists and watches its collection, and keeps what it sees', async () => {
    const world = new World(PROBE_EXCEPTIONS);
    world.objects = [exception('a')];
    await world.informer.reflector.start();
    expect([await world.kept(), world.changes]).toEqual([['a'], 1]);
    const path = '/apis/probewright.dev/v1alpha1/probeexceptions';
    expect(world.client.requests).toMatchObject([{ path, accept: 'application/json' }]);
    world.client.watches.get(path)?.line(JSON.stringify({ type: 'ADDED', object: exception('b') }));
    expect([await world.kept(), world.changes]).toEqual([['a', 'b'], 2]);
    expect(world.informer.kind).toBe(PROBE_EXCEPTIONS);
  });

  it('asks for metadata alone where the kind needs no more', async () => {
    const world = new World(NAMESPACES);
    await world.informer.reflector.start();
    expect(world.client.requests).toMatchObject([
      { path: '/api/v1/namespaces', accept: expect.stringContaining('as=PartialObjectMetadataList') as string },
    ]);
  });

  it('ends its watch and its pause at a stop', async () => {
    const world = new World(ONE);
    world.objects = [exception('a'), exception('b', 1)];
    await world.informer.reflector.start();
    world.informer.listAgainIfLeftOut();
    await world.time.settle();
    expect([world.client.watches.size, world.time.waits]).toEqual([1, [30_000]]);
    world.informer.stop();
    await world.time.settle();
    expect([world.client.watches.size, world.time.waits]).toEqual([0, []]);
  });
});

describe('the list for an object that was left out', () => {
  it('is made at once, and the next ones together 30 s later', async () => {
    const world = new World(ONE);
    world.objects = [exception('a'), exception('b', 1)];
    await world.informer.reflector.start();
    expect([await world.kept(), world.lists]).toEqual([['a'], 1]);
    world.informer.listAgainIfLeftOut();
    await world.time.settle();
    expect(world.lists).toBe(2);
    world.informer.listAgainIfLeftOut();
    world.informer.listAgainIfLeftOut();
    await world.time.pass(29_999);
    expect(world.lists).toBe(2);
    await world.time.pass(1);
    expect(world.lists).toBe(3);
    // That list begins a new pause.
    expect(world.time.waits).toEqual([30_000]);
    await world.time.pass(30_000);
    expect([world.lists, world.time.waits]).toEqual([3, []]);
    world.informer.listAgainIfLeftOut();
    await world.time.settle();
    expect(world.lists).toBe(4);
  });

  it('is made when an object in front of it is gone', async () => {
    const world = new World(ONE);
    world.objects = [exception('a'), exception('b', 1)];
    await world.informer.reflector.start();
    await world.time.settle();
    const watch = [...world.client.watches.values()][0];
    world.objects = [exception('b', 1)];
    watch?.line(JSON.stringify({ type: 'DELETED', object: exception('a') }));
    expect([await world.kept(), world.lists]).toEqual([['b'], 2]);
  });

  it('is not made while nothing is left out', async () => {
    const world = new World(ONE);
    world.objects = [exception('a')];
    await world.informer.reflector.start();
    world.informer.listAgainIfLeftOut();
    await world.time.settle();
    expect([world.lists, world.time.waits]).toEqual([1, []]);
  });
});
