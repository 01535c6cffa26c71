import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'other-protocol';
const asking = (port: unknown, ports: readonly JsonObject[], handler: JsonObject = {}): JsonObject =>
  podWith({ ports, readinessProbe: { httpGet: { path: '/ready', port, ...handler } } });
const service = (port: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'apps' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, ...port }] },
});

describe('other-protocol', () => {
  it('names the port, the protocol and the handlers to write', () =>
    expect(onlyFinding(ID, asking(6500, [{ name: 'scaler-grpc', containerPort: 6500 }]))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.containers[0].readinessProbe.httpGet.port',
      message: 'container "app" gets an HTTP request on its port scaler-grpc (6500), which is for gRPC by its name',
      remedy:
        'write grpc: { port: 6500 } or tcpSocket: { port: 6500 } in place of httpGet, or ask a port that answers HTTP',
    }));

  it.each(cases('other-protocol', 'finds HTTP on') as [number | string, JsonObject[]][])(
    'finds HTTP on the port %j of %j',
    (port, ports) => expect(findings(ID, asking(port, ports))).toHaveLength(1),
  );

  it.each(cases('other-protocol', 'accepts HTTP on') as [unknown, JsonObject[]][])(
    'accepts HTTP on the port %j of %j',
    (port, ports) => expect(findings(ID, asking(port, ports))).toEqual([]),
  );

  it('accepts other handlers, and a host of its own', () => {
    const ports = [{ name: 'redis', containerPort: 6379 }];
    expect(findings(ID, podWith({ ports, livenessProbe: { tcpSocket: { port: 'redis' } } }))).toEqual([]);
    expect(findings(ID, asking('redis', ports, { host: 'proxy.example' }))).toEqual([]);
  });

  it('follows what a Service says about the port', () => {
    const object = asking('main', [{ name: 'main', containerPort: 7000 }]);
    const found = (port: JsonObject): string[] =>
      findings(ID, object, {}, [service(port)]).map(({ message }) => message);
    expect(found({ targetPort: 'main', appProtocol: 'grpc' })).toEqual([
      'container "app" gets an HTTP request on its port main (7000), which is for gRPC by Service web',
    ]);
    expect(found({ targetPort: 7000, name: 'redis' })).toHaveLength(1);
    expect(found({ targetPort: 7001, name: 'redis' })).toEqual([]);
    expect(found({ targetPort: 'main', name: 'http', appProtocol: 'kubernetes.io/h2c' })).toEqual([]);
    const numbered = asking(9092, []);
    expect(findings(ID, numbered, {}, [service({ targetPort: 9092, name: 'http' })])).toEqual([]);
  });

  it('leaves a port for HTTPS to https-scheme', () => {
    const object = asking('https-grpc', [{ name: 'https-grpc', containerPort: 1 }]);
    expect([findings(ID, object).length, findings('https-scheme', object).length]).toEqual([0, 1]);
  });
});
