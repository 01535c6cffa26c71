import { beforeEach, expect, it } from 'vitest';
import { Addresses } from '../../../src/process/addresses.ts';
import { BufferBudget } from '../../../src/webhook/http/buffer-budget.ts';
import type { Socket } from 'node:net';

const addresses = new Addresses(() => 0);
const [a, b] = ['10.0.0.1', '10.0.0.2'].map((remoteAddress) => addresses.of({ remoteAddress }));
if (a === undefined || b === undefined) throw new Error('unreachable');

interface Holder {
  readonly name: string;
  readonly socket: Socket;
  complete?: boolean;
}

let now: number;
let closed: string[];
let dropped: string[];
let held: BufferBudget<Holder>;

beforeEach(() => {
  [now, closed, dropped] = [0, [], []];
  held = new BufferBudget<Holder>({ most: 100, dropped: ({ name }) => dropped.push(name), monotonic: () => now });
});

const holder = (name: string): Holder => ({
  name,
  socket: { destroy: () => closed.push(name) } as unknown as Socket,
});

it('what is too much costs the address that holds most, and of its connections the one that began first', () => {
  const [a1, b1, b2, b3] = ['a1', 'b1', 'b2', 'b3'].map(holder) as [Holder, Holder, Holder, Holder];
  held.begin(a1, a);
  held.add(a1, 40);
  for (const one of [b1, b2]) held.begin(one, b);
  held.add(b2, 30);
  held.add(b1, 25);
  expect(closed).toEqual([]);
  held.begin(b3, b);
  held.add(b3, 10);
  expect([closed, dropped]).toEqual([['b1'], ['10.0.0.2']]);
  held.add(a1, 30);
  expect(closed).toEqual(['b1', 'a1']);
  expect([held.of(b2), held.of(a1)]).toEqual([30, 0]);
});

it('what is under way for longer than five seconds goes first, of any address, and pays for the heavy one that is young', () => {
  const slow = Array.from({ length: 9 }, (_, index) => holder(`slow ${index}`));
  for (const [index, one] of slow.entries()) {
    held.begin(one, addresses.of({ remoteAddress: `10.1.0.${index}` }));
    held.add(one, 10);
  }
  now = 5001;
  const honest = holder('honest');
  held.begin(honest, a);
  held.add(honest, 10);
  held.add(honest, 10);
  held.add(honest, 5);
  expect([closed, held.of(honest)]).toEqual([['slow 0', 'slow 1'], 25]);
});

it('what has been received, or has only waited to be read, is not slow', () => {
  const [complete, late, heavy] = ['complete', 'late', 'heavy'].map(holder) as [Holder, Holder, Holder];
  for (const one of [complete, late]) held.begin(one, a);
  held.add(complete, 10);
  complete.complete = true;
  now = 5001;
  held.add(late, 10);
  held.begin(heavy, b);
  held.add(heavy, 90);
  expect(closed).toEqual(['heavy']);
});
