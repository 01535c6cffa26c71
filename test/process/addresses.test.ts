import { describe, expect, it } from 'vitest';
import { Addresses, sharingAddress } from '../../src/process/addresses.ts';

describe('a remote address', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
    ['2001:db8:0:7:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
    ['2001:db8::7:1:2:3:4', '2001:db8:0:7::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('%s shares as %s', (address, name) => {
    expect(sharingAddress(address)).toBe(name);
  });

  it('has used what it is charged with, which counts half a quarter of a second later and is forgotten in the end', () => {
    let now = 0;
    const address = new Addresses(() => now).of({ remoteAddress: '10.0.0.1' });
    address.charge(100);
    expect(address.used()).toBe(100);
    now = 250;
    expect(address.used()).toBe(50);
    address.charge(30);
    now = 500;
    expect(address.used()).toBe(40);
    now = 60_000;
    expect(address.used()).toBeLessThan(0.001);
  });

  it('is the same for all its connections, and only the last thousand addresses are remembered', () => {
    const addresses = new Addresses(() => 0);
    const of = (remoteAddress: string): unknown => addresses.of({ remoteAddress });
    const first = of('10.0.0.1');
    expect(of('::ffff:10.0.0.1')).toBe(first);
    for (let count = 0; count < 999; count += 1) of(`10.1.${count >> 8}.${count & 255}`);
    expect(of('10.0.0.1')).toBe(first);
    for (let count = 0; count < 1000; count += 1) of(`10.2.${count >> 8}.${count & 255}`);
    expect(of('10.0.0.1')).not.toBe(first);
  });

  it('is remembered for as long as it has connections', () => {
    const addresses = new Addresses(() => 0);
    const first = addresses.of({ remoteAddress: '10.0.0.1' });
    first.connections = 1;
    for (let count = 0; count < 2000; count += 1) addresses.of({ remoteAddress: `10.2.${count >> 8}.${count & 255}` });
    expect(addresses.of({ remoteAddress: '10.0.0.1' })).toBe(first);
    first.connections = 0;
    for (let count = 0; count < 1000; count += 1) addresses.of({ remoteAddress: `10.3.${count >> 8}.${count & 255}` });
    expect(addresses.of({ remoteAddress: '10.0.0.1' })).not.toBe(first);
  });
});
