import { expect, it } from 'vitest';
import { findings, podWith } from './workload.ts';

it.each([
  [['fd00::1'], ['write "[::]:8080" for --listen']],
  [['fd00::1', '10.0.0.1'], []],
  [['10.0.0.1'], []],
])('an address of IPv4 is found in a Pod with the addresses %j', (ips, remedies) => {
  const manifest = {
    ...podWith({ args: ['--listen=0.0.0.0:8080'], livenessProbe: { httpGet: { path: '/live', port: 8080 } } }),
    status: { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) },
  };
  expect(findings('listen-address', manifest).map(({ remedy }) => remedy)).toEqual(remedies);
});
