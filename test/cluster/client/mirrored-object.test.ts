import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MirroredObject } from '../../../src/cluster/client/mirrored-object.ts';
import { AnsweringClient } from './answering-client.ts';

const SECRETS = '/api/v1/namespaces/system/secrets';
const secret = (uid: string, label = ''): object => ({ metadata: { name: 'ca', uid, labels: { label } } });

class World {
  object: object | undefined;
  isAway = false;
  changes = 0;
  readonly troubles: (string | undefined)[] = [];
  readonly client = new AnsweringClient(() => {
    if (this.isAway) throw new Error('reset');
    return {
      metadata: { resourceVersion: '1' },
      items: this.object === undefined ? [] : [structuredClone(this.object)],
    };
  });
  readonly mirror: MirroredObject;

  constructor(object?: object) {
    this.object = object;
    const context = { client: this.client, now: () => 0, random: () => 0, retry: { minimum: 1, maximum: 1 } };
    this.mirror = new MirroredObject(context, SECRETS, 'ca', {
      changed: () => (this.changes += 1),
      troubled: (problem) => this.troubles.push(problem),
    });
    onTestFinished(() => this.mirror.stop());
  }

  async started(): Promise<this> {
    await this.mirror.start();
    await this.settle();
    return this;
  }

  async settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn++) await setImmediate();
  }

  event(type: string, object: object): void {
    this.client.watches.get(`${SECRETS} metadata.name=ca`)?.line(JSON.stringify({ type, object }));
  }

  get label(): unknown {
    return this.mirror.object?.metadata.labels?.['label'];
  }
}

describe('a mirrored object', () => {
  it('is asked for by its name, as RBAC rules with names demand', async () => {
    const { client } = await new World().started();
    expect(client.requests).toMatchObject([{ path: SECRETS, query: { fieldSelector: 'metadata.name=ca' } }]);
  });

  it('is known once it has been listed, also when it does not exist', async () => {
    const none = new World();
    expect([none.mirror.isKnown, none.mirror.isCurrent, none.mirror.generation]).toEqual([false, false, 0]);
    await none.started();
    expect([none.mirror.isKnown, none.mirror.isCurrent, none.mirror.object, none.changes]).toEqual([
      true,
      true,
      undefined,
      1,
    ]);
    const some = await new World(secret('1', 'first')).started();
    expect([some.mirror.isKnown, some.label, some.changes, some.mirror.generation]).toEqual([true, 'first', 1, 1]);
  });

  it('follows changes, and counts each', async () => {
    const world = await new World(secret('1', 'first')).started();
    world.event('MODIFIED', secret('1', 'second'));
    expect([world.label, world.mirror.generation, world.changes]).toEqual(['second', 2, 2]);
    world.event('DELETED', secret('1', 'second'));
    expect([world.mirror.object, world.mirror.generation, world.mirror.isKnown]).toEqual([undefined, 3, true]);
  });

  it('is gone when a new list lacks it', async () => {
    const world = await new World(secret('1')).started();
    world.object = undefined;
    world.mirror.listAgain();
    await world.settle();
    expect([world.mirror.object, world.changes]).toEqual([undefined, 2]);
  });

  it('is not current without contact, and stays known', async () => {
    const world = new World(secret('1', 'first'));
    world.isAway = true;
    void world.mirror.start();
    await world.settle();
    expect([world.mirror.isCurrent, world.troubles]).toEqual([false, ['reset']]);
    world.isAway = false;
    await expect.poll(() => world.mirror.isCurrent).toBe(true);
    expect(world.troubles).toEqual(['reset', undefined]);
    world.mirror.stop();
    await world.settle();
    expect([world.mirror.isCurrent, world.mirror.isKnown, world.label]).toEqual([false, true, 'first']);
  });
});

describe('a change after a write', () => {
  it('is awaited until it comes, for less than 30 s, also when the clock goes back', async () => {
    const world = await new World(secret('1')).started();
    const { mirror } = world;
    expect(mirror.isAwaited(0)).toBe(false);
    mirror.awaitChange(mirror.generation, 100_000);
    const times = [70_000, 70_001, 100_000, 129_999, 130_000];
    expect(times.map((now) => mirror.isAwaited(now))).toEqual([false, true, true, true, false]);
    world.event('MODIFIED', secret('1', 'second'));
    expect(mirror.isAwaited(100_000)).toBe(false);
  });

  it('is not awaited when it came before the answer to the write', async () => {
    const world = await new World(secret('1')).started();
    const { generation } = world.mirror;
    world.event('MODIFIED', secret('1', 'second'));
    world.mirror.awaitChange(generation, 0);
    expect(world.mirror.isAwaited(0)).toBe(false);
  });
});
