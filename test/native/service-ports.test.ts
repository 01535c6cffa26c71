import { expect, it } from 'vitest';
import { servicePortsOf } from '../../src/native/service-ports.ts';
import { factsOf } from '../engine/checks/workload.ts';
import { policySet } from '../support/worlds.ts';
import type { JsonObject } from '../../src/base/json/json-value.ts';

const selector = { app: 'web' };
const saidBy = (ports: readonly JsonObject[], more: JsonObject = {}) =>
  servicePortsOf(
    policySet().withFacts(
      factsOf([
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'web', namespace: 'apps' },
          spec: { selector, ports, ...more },
        },
      ]),
    ),
    'apps',
  );

it.each<readonly [what: string, ports: readonly JsonObject[], more: JsonObject, said: unknown]>([
  ['a port for gRPC', [{ port: 80, targetPort: 'main', name: 'grpc' }], {}, { other: ['main'], noTcp: [] }],
  ['a database beside', [{ port: 80, targetPort: 9000, name: 'postgres' }], {}, { other: ['*'], noTcp: [] }],
  ['no TCP', [{ port: 53, targetPort: 5353, protocol: 'UDP' }], {}, { other: [5353], noTcp: [5353] }],
  ['IPv6 alone', [{ port: 80 }], { ipFamilies: ['IPv6'] }, { other: ['*'], noTcp: ['*'] }],
])('tells of a Service with %s which ports get no probe', (_, ports, more, said) => {
  expect(saidBy(ports, more)).toEqual([{ labels: selector, ...(said as JsonObject) }]);
});

it('tells nothing of a Service for HTTP or metrics', () => {
  expect(
    saidBy([
      { port: 80, name: 'http' },
      { port: 9090, name: 'metrics' },
    ]),
  ).toEqual([]);
});

it('counts all ports of a Service with very many', () => {
  const ports = Array.from({ length: 101 }, (_, index) => ({ port: index + 1, protocol: 'UDP' }));
  expect(saidBy(ports)).toEqual([{ labels: selector, other: ['*'], noTcp: ['*'] }]);
});
