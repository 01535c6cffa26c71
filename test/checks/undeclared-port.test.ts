import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'undeclared-port';
const http = (port: unknown): JsonObject => ({ livenessProbe: { httpGet: { port } } });

describe('undeclared-port', () => {
  it('names the ports that there are', () => {
    expect(onlyFinding(ID, podWith(http(8081)))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.port',
      message:
        'container "app" declares only http (8080), not 8081; add containerPort: 8081 to its ports, or ask a port that it declares',
    });
  });

  it('says so where there is none', () => {
    expect(onlyFinding(ID, podWith({ ...http(8081), ports: [] })).message).toBe(
      'container "app" declares no TCP port; add containerPort: 8081 to its ports',
    );
  });

  it('looks at tcpSocket and grpc too', () => {
    expect(
      findings(ID, podWith({ livenessProbe: { tcpSocket: { port: 1 } }, readinessProbe: { grpc: { port: 2 } } })),
    ).toHaveLength(2);
    expect(
      findings(ID, podWith({ livenessProbe: { tcpSocket: { port: 8080 } }, readinessProbe: { grpc: { port: 8080 } } })),
    ).toEqual([]);
  });

  it('wants the port declared for TCP', () => {
    expect(findings(ID, podWith({ ...http(53), ports: [{ containerPort: 53, protocol: 'UDP' }] }))).toHaveLength(1);
    expect(findings(ID, podWith({ ...http(53), ports: [{ containerPort: 53 }] }))).toEqual([]);
  });

  it.each(['http', 'nope', 0, 65_536, null, true])('leaves port %j to other checks', (port) => {
    expect(findings(ID, podWith(http(port)))).toEqual([]);
  });

  it('does not judge a port of another host', () => {
    expect(findings(ID, podWith({ livenessProbe: { tcpSocket: { port: 1, host: 'db' } } }))).toEqual([]);
  });
});
