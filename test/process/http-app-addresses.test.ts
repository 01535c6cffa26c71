import { describe, expect, it } from 'vitest';
import { SharedQuantity, addressOf } from '../../src/process/http-app.ts';

it.each([
  [undefined, 'unknown'],
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::FFFF:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::', 'fe80:0:0:0::/64'],
])('limits count %s as the address %s', (remoteAddress, address) => expect(addressOf({ remoteAddress })).toBe(address));

describe('a quantity that addresses share', () => {
  const takeAll = (shared: SharedQuantity, address: string): number => {
    let taken = 0;
    while (shared.take(address, 1)) taken += 1;
    return taken;
  };

  it('leaves an address half as much as is free for all others', () => {
    const shared = new SharedQuantity(90);
    expect([takeAll(shared, 'a'), takeAll(shared, 'b'), takeAll(shared, 'c')]).toEqual([30, 20, 13]);
  });

  it('takes an amount as a whole or not at all', () => {
    const shared = new SharedQuantity(90);
    expect([shared.take('a', 31), shared.take('a', 30), shared.take('a', 1)]).toEqual([false, true, false]);
    expect(shared.take('b', 20)).toBe(true);
  });

  it('has what was given back for the same address and for others', () => {
    const shared = new SharedQuantity(90);
    takeAll(shared, 'a');
    shared.giveBack('a', 10);
    expect(takeAll(shared, 'a')).toBe(10);
    shared.giveBack('a', 30);
    expect(takeAll(shared, 'b')).toBe(30);
    shared.giveBack('b', 30);
    shared.giveBack('nobody', 0);
    expect(takeAll(shared, 'a')).toBe(30);
  });
});
