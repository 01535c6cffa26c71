import { expect, it } from 'vitest';
import { isBoundToLoopbackOnly, socketsInside, socketsOfThisMachine } from '../../../src/cli/try/open-sockets.ts';
import { tcp } from './probe-servers.ts';

/** Lines as the kernel writes them (proc(5)); 1F90 is 8080. */
const table = (...sockets: readonly (readonly [local: string, state?: string])[]): string =>
  [
    '  sl  local_address rem_address   st tx_queue rx_queue',
    ...sockets.map(([local, state = '0A'], row) => `   ${row}: ${local} 00000000:0000 ${state} 00000000:00000000`),
  ].join('\n');

it.each([
  ['127.0.0.1', '0100007F:1F90', true],
  ['127.1.2.3', '0302017F:1F90', true],
  ['0.0.0.0', '00000000:1F90', false],
  ['10.0.0.127', '7F00000A:1F90', false],
  ['::1', '00000000000000000000000001000000:1F90', true],
  ['::', '00000000000000000000000000000000:1F90', false],
  ['127.0.0.1 in IPv6', '0000000000000000FFFF00000100007F:1F90', true],
  ['10.0.0.1 in IPv6', '0000000000000000FFFF00000100000A:1F90', false],
  ['127.0.0.1 on another port', '0100007F:1F91', false],
])('a socket that listens on %s (%s) is open to loopback only: %s', (_address, local, expected) => {
  expect(isBoundToLoopbackOnly(table([local]), 8080)).toBe(expected);
});

it('a port is open to others as soon as one of its sockets is', () => {
  const loopback = '0100007F:1F90';
  expect(isBoundToLoopbackOnly(table([loopback], [loopback]), 8080)).toBe(true);
  expect(isBoundToLoopbackOnly(table([loopback], ['00000000:1F90']), 8080)).toBe(false);
  expect(isBoundToLoopbackOnly(table([loopback], ['00000000:0050']), 8080)).toBe(true);
});

it('connections and empty tables are no sockets that listen', () => {
  expect(isBoundToLoopbackOnly(table(['0100007F:1F90', '01']), 8080)).toBe(false);
  expect(isBoundToLoopbackOnly('', 8080)).toBe(false);
});

it('a container without `cat` tells nothing', async () => {
  const inside = socketsInside(['no-such-runtime-of-probewright']);
  expect(await inside.isLoopbackOnly(8080)).toBe(false);
  expect(await inside.listeningPorts()).toEqual([]);
});

it.runIf(process.platform === 'linux')('the tables of this machine have a server of this process', async () => {
  const port = await tcp(() => undefined);
  expect(isBoundToLoopbackOnly(await socketsOfThisMachine(), port)).toBe(true);
});
