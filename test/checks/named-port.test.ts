import { describe, expect, it } from 'vitest';
import { appContainer, pod } from '../worlds.ts';
import { deploymentWith, findings, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../src/json/json-value.ts';

const ID = 'named-port';
const asking = (port: unknown): JsonObject => ({ livenessProbe: { httpGet: { path: '/', port } } });

describe('named-port', () => {
  it('names the misspelt port and the one that was meant', () => {
    expect(findings(ID, deploymentWith(asking('htpp')))).toEqual([
      {
        probe: 'livenessProbe',
        path: 'spec.template.spec.containers[0].livenessProbe.httpGet.port',
        message: 'container "app" declares no port named "htpp"; did you mean "http"?',
      },
    ]);
  });

  it('accepts a declared name, a number, and a gRPC port', () => {
    expect(findings(ID, podWith(asking('http')))).toEqual([]);
    expect(findings(ID, podWith(asking(9999)))).toEqual([]);
    expect(findings(ID, podWith({ readinessProbe: { grpc: { port: 'nope' } } }))).toEqual([]);
  });

  it('looks at every probe, and at tcpSocket as at httpGet', () => {
    const socket = { tcpSocket: { port: 'postgres' } };
    const found = findings(ID, podWith({ startupProbe: socket, readinessProbe: socket }));
    expect(found.map(({ path }) => path)).toEqual([
      'spec.containers[0].readinessProbe.tcpSocket.port',
      'spec.containers[0].startupProbe.tcpSocket.port',
    ]);
    expect(found[0]?.message).toBe('container "app" declares no port named "postgres"; it declares http (8080)');
  });

  it('says which other container declares the name, and that the number would do', () => {
    const nginx = { name: 'nginx', ports: [{ name: 'web', containerPort: 8081 }] };
    const { message } = onlyFinding(ID, pod([appContainer(asking('web')), nginx]));
    expect(message).toBe(
      'container "app" declares no port named "web"; container "nginx" does, but a probe knows its own container\'s names only: write port: 8081',
    );
  });

  it('says how to declare a port where there is none', () => {
    const { message } = onlyFinding(ID, podWith({ ...asking('http'), ports: undefined }));
    expect(message).toBe(
      'container "app" declares no port named "http"; write the number, or add { name: http, containerPort: <number> } to its ports',
    );
  });

  it.each(['UDP', 'SCTP'])('refuses a name that is declared for %s', (protocol) => {
    const ports = [{ name: 'dns', containerPort: 53, protocol }];
    expect(onlyFinding(ID, podWith({ ...asking('dns'), ports })).message).toContain(`for "${protocol}"`);
  });

  it('looks at sidecars, and not at plain init containers', () => {
    const sidecar = { name: 'proxy', restartPolicy: 'Always', ...asking('nope') };
    const init = { name: 'migrate', ...asking('nope') };
    const found = findings(ID, podWith({}, { initContainers: [init, sidecar] }));
    expect(found.map(({ path }) => path)).toEqual(['spec.initContainers[1].livenessProbe.httpGet.port']);
  });

  it.each(['80', 'HTTP', '', 'a--b', '-http', 'a234567890123456'])(
    'leaves %j, no port name, to valid-probe',
    (port) => {
      expect(findings(ID, podWith(asking(port)))).toEqual([]);
    },
  );

  it('does not judge by a list of ports that cannot be read', () => {
    expect(findings(ID, podWith({ ...asking('web'), ports: [{ name: 'web', containerPort: '8080' }] }))).toEqual([]);
    expect(findings(ID, podWith({ ...asking('web'), ports: 'web' }))).toEqual([]);
  });
});
