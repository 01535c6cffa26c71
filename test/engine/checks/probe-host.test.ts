import { describe, expect, it } from 'vitest';
import { findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'probe-host';
const http = (host: unknown): JsonObject => ({ livenessProbe: { httpGet: { path: '/', port: 80, host } } });

describe('probe-host', () => {
  it('offers the Host header for a virtual host', () =>
    expect(onlyFinding(ID, podWith(http('shop.example.test')))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.host',
      message:
        'the livenessProbe of container "app" asks "shop.example.test" instead of the Pod\'s IP; ' +
        'the kubelet resolves no names of Services',
      remedy: 'remove host; for a virtual host, write httpHeaders: [{ name: Host, value: "shop.example.test" }]',
    }));

  it.each(['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::', '[::]'])('says that %s is the node', (host) =>
    expect(onlyFinding(ID, podWith(http(host)))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.containers[0].livenessProbe.httpGet.host',
      message: `the livenessProbe of container "app" asks the node, not the Pod: for the kubelet, "${host}" is the node`,
      remedy: 'remove host',
      edits: [{ path: ['spec', 'containers', 0, 'livenessProbe', 'httpGet', 'host'], value: null }],
    }),
  );

  it('offers no header for a TCP probe', () => {
    const found = onlyFinding(ID, podWith({ readinessProbe: { tcpSocket: { port: 5432, host: 'db' } } }));
    expect(found.path).toBe('spec.containers[0].readinessProbe.tcpSocket.host');
    expect(found.remedy).toBe('remove host');
    expect(found.edits).toBeUndefined();
  });

  it('lets a loopback address be on the host network, where the node is the Pod', () => {
    expect(findings(ID, podWith(http('127.0.0.1'), { hostNetwork: true }))).toEqual([]);
    expect(findings(ID, podWith(http('db.example.test'), { hostNetwork: true }))).toHaveLength(1);
    expect(findings(ID, podWith(http('127.0.0.1'), { hostNetwork: false }))).toHaveLength(1);
  });

  it.each([undefined, null, '', 7])('finds nothing in host %j', (host) =>
    expect(findings(ID, podWith(http(host)))).toEqual([]),
  );
});
