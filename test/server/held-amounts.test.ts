import { expect, it } from 'vitest';
import { Addresses } from '../../src/server/addresses.ts';
import { HeldAmounts } from '../../src/server/held-amounts.ts';
import type { Socket } from 'node:net';

const addresses = new Addresses(() => 0);
const [a, b] = ['10.0.0.1', '10.0.0.2'].map((remoteAddress) => addresses.of({ remoteAddress }));
if (a === undefined || b === undefined) throw new Error('unreachable');

interface Holder {
  readonly name: string;
  readonly socket: Socket;
}

it('what is too much costs the address that holds most, and of its connections the one that began first', () => {
  const closed: string[] = [];
  const holder = (name: string): Holder => ({
    name,
    socket: { destroy: () => closed.push(name) } as unknown as Socket,
  });
  const dropped: string[] = [];
  const held = new HeldAmounts<Holder>({ most: 100, dropped: ({ name }) => dropped.push(name) });
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
