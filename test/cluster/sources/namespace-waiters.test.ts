import { describe, expect, it } from 'vitest';
import { NamespaceWaiters } from '../../../src/cluster/sources/namespace-waiters.ts';
import { ManualTimer } from './cluster-world.ts';

const late = (): 'timeout' => 'timeout';
function waiters(): { readonly waiting: NamespaceWaiters; readonly timer: ManualTimer } {
  const timer = new ManualTimer();
  return { waiting: new NamespaceWaiters(timer.set), timer };
}

describe('a request that waits for a namespace', () => {
  it('goes on when the namespace arrives, and the timer is called off', async () => {
    const { waiting, timer } = waiters();
    const wait = waiting.wait('apps', 'a', late);
    expect([...timer.waiting].map(({ milliseconds }) => milliseconds)).toEqual([500]);
    waiting.arrived('other');
    expect(waiting.names()).toEqual(['apps']);
    waiting.arrived('apps');
    expect([await wait, waiting.names(), timer.waiting.size]).toEqual([undefined, [], 0]);
  });

  it('goes on after half a second with the reason of that moment', async () => {
    const { waiting, timer } = waiters();
    let reason: 'timeout' | 'no-contact' = 'timeout';
    const wait = waiting.wait('apps', 'a', () => reason);
    reason = 'no-contact';
    timer.ring();
    expect([await wait, waiting.names()]).toEqual(['no-contact', []]);
  });

  it('shares the wait of others for the same namespace', () => {
    const { waiting, timer } = waiters();
    expect(waiting.wait('apps', 'a', late)).toBe(waiting.wait('apps', 'b', late));
    expect(timer.waiting.size).toBe(1);
  });

  it('goes on without contact when nothing is waited for any more', async () => {
    const { waiting, timer } = waiters();
    const [first, second] = [waiting.wait('apps', 'a', late), waiting.wait('web', 'a', late)];
    waiting.giveUp();
    expect([await first, await second, waiting.names(), timer.waiting.size]).toEqual([
      'no-contact',
      'no-contact',
      [],
      0,
    ]);
  });
});

describe('the room to wait', () => {
  const ask = (waiting: NamespaceWaiters, client: string, count: number): number =>
    Array.from({ length: count }, (_, index) => waiting.wait(`${client}-${index}`, client, late)).filter(
      (wait) => wait !== 'no-room',
    ).length;

  it('is 500 namespaces of one client and 1,000 in all, and a known name needs none', () => {
    const { waiting } = waiters();
    expect([ask(waiting, 'a', 501), ask(waiting, 'b', 499)]).toEqual([500, 499]);
    expect(waiting.wait('last', 'c', late)).toBeInstanceOf(Promise);
    expect(waiting.wait('one-more', 'd', late)).toBe('no-room');
    expect(waiting.wait('a-0', 'd', late)).toBeInstanceOf(Promise);
    waiting.arrived('a-0');
    expect(waiting.wait('one-more', 'd', late)).toBeInstanceOf(Promise);
  });
});
