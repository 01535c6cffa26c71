import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { BodyPlaces } from '../../../src/webhook/http/body-places.ts';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

const LARGE = 1_000_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

interface Body {
  readonly request: IncomingMessage;
  received: number;
  isRead: boolean;
}

function world(): {
  enter: (address: string, bytes?: number) => Body;
  leave: (body: Body) => void;
  blocked: Set<Socket>;
  delayed: string[];
} {
  const addresses = new Addresses(() => 0);
  const received = new Map<IncomingMessage, Body>();
  const blocked = new Set<Socket>();
  const delayed: string[] = [];
  const places = new BodyPlaces({
    received: (request) => received.get(request)?.received ?? 0,
    block: (socket) => blocked.add(socket),
    unblock: (socket) => blocked.delete(socket),
    isHeld: () => false,
    delayed: ({ name }) => delayed.push(name),
  });
  return {
    enter: (remoteAddress, bytes = LARGE) => {
      const request = { socket: {}, complete: false } as unknown as IncomingMessage;
      const body: Body = { request, received: 0, isRead: false };
      received.set(body.request, body);
      places.enter(body.request, addresses.of({ remoteAddress }), bytes, () => {
        body.isRead = true;
      });
      return body;
    },
    leave: ({ request }) => {
      places.leave(request);
    },
    blocked,
    delayed,
  };
}

const countRead = (bodies: readonly Body[]): number => bodies.filter(({ isRead }) => isRead).length;

describe('of one address', () => {
  it('a few long bodies are read at a time, the others when one of these is answered, in their order', () => {
    const { enter, leave, blocked, delayed } = world();
    const bodies = Array.from({ length: 90 }, () => enter('a'));
    expect([countRead(bodies), blocked.size, delayed.length]).toEqual([4, 86, 86]);
    for (const body of bodies) {
      expect(body.isRead).toBe(true);
      leave(body);
      leave(body);
    }
    expect(blocked.size).toBe(0);
  });

  it('as many short ones are read as have half a megabyte together', () => {
    const { enter } = world();
    expect(countRead(Array.from({ length: 90 }, () => enter('a', 20_000)))).toBe(26);
  });

  it('short ones do not wait for long ones, nor long ones for short ones', () => {
    const { enter } = world();
    const long = Array.from({ length: 40 }, () => enter('a', 3_000_000));
    const short = Array.from({ length: 4 }, () => enter('a', 128 * 1024));
    expect([countRead(long), countRead(short)]).toEqual([4, 4]);
    const { enter: enterOther } = world();
    for (let count = 0; count < 90; count += 1) enterOther('a', 20_000);
    expect(enterOther('a').isRead).toBe(true);
  });

  it('short ones that had to wait are read in their order, while long ones go on waiting', () => {
    const { enter, leave } = world();
    for (let count = 0; count < 40; count += 1) enter('a', 3_000_000);
    const [first, , , , fifth, sixth] = Array.from({ length: 6 }, () => enter('a', 128 * 1024));
    if (first === undefined) throw new Error('unreachable');
    expect([fifth?.isRead, sixth?.isRead]).toEqual([false, false]);
    leave(first);
    expect([fifth?.isRead, sixth?.isRead]).toEqual([true, false]);
  });

  it('the shortest of the long ones and the oldest go on in turn, so that neither waits for all others', () => {
    const { enter, leave } = world();
    const bodies = Array.from({ length: 40 }, () => enter('a', 3_000_000));
    const [shortest, second] = [enter('a', 200_000), enter('a', 300_000)];
    const read: unknown[] = [];
    for (const body of bodies.slice(0, 4)) {
      leave(body);
      read.push([shortest.isRead, second.isRead, countRead(bodies)]);
    }
    expect(read).toEqual([
      [true, false, 4],
      [true, false, 5],
      [true, true, 5],
      [true, true, 6],
    ]);
  });

  it('a body that waits and whose client goes away is forgotten', () => {
    const { enter, leave } = world();
    const [first, , , , fifth, sixth] = Array.from({ length: 6 }, () => enter('a'));
    if (first === undefined || fifth === undefined) throw new Error('unreachable');
    leave(fifth);
    leave(first);
    expect([fifth.isRead, sixth?.isRead]).toEqual([false, true]);
  });

  it('bodies that hardly grow make room for others, and bodies that grow do not', () => {
    const { enter } = world();
    const bodies = Array.from({ length: 8 }, () => enter('a'));
    for (let count = 0; count < 4; count += 1) {
      for (const body of bodies.slice(0, 2)) body.received += 100_000;
      for (const body of bodies.slice(2, 4)) body.received += 100;
      vi.advanceTimersByTime(100);
    }
    expect(countRead(bodies)).toBeGreaterThanOrEqual(6);
    expect(bodies.slice(4, 6).every(({ isRead }) => isRead)).toBe(true);
  });
});

it('bodies of another address are read at once', () => {
  const { enter } = world();
  for (let count = 0; count < 90; count += 1) enter('a');
  expect(countRead(Array.from({ length: 4 }, () => enter('b')))).toBe(4);
});
