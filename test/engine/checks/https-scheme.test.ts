import { describe, expect, it } from 'vitest';
import { deploymentWith, findings, onlyFinding, podWith } from './workload.ts';
import { cases } from '../../support/cases.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'https-scheme';
const PORTS = [{ name: 'https', containerPort: 8443 }];
const asking = (handler: JsonObject, ports: readonly JsonObject[] = PORTS): JsonObject =>
  podWith({ ports, readinessProbe: { httpGet: { path: '/ready', ...handler } } });

describe('https-scheme', () => {
  it('names the port and writes the scheme', () => {
    const readinessProbe = { httpGet: { path: '/ready', port: 'https' } };
    expect(onlyFinding(ID, deploymentWith({ ports: PORTS, readinessProbe }))).toEqual({
      probe: 'readinessProbe',
      path: 'spec.template.spec.containers[0].readinessProbe.httpGet.scheme',
      message: 'container "app" gets plain HTTP on its port "https" (8443); a TLS server rejects such a request',
      remedy: 'write scheme: HTTPS',
      edits: [
        {
          path: ['spec', 'template', 'spec', 'containers', 0, 'readinessProbe', 'httpGet', 'scheme'],
          value: 'HTTPS',
        },
      ],
    });
  });

  it.each([['https'], ['metrics-https'], ['a-b-https'], ['https-admin'], ['tls-http'], ['webhook-server']])(
    'finds plain HTTP on the port %s',
    (name) => {
      expect(findings(ID, asking({ port: name }, [{ name, containerPort: 8443 }]))).toHaveLength(1);
      expect(findings(ID, asking({ port: 8443, scheme: 'HTTP' }, [{ name, containerPort: 8443 }]))).toHaveLength(1);
    },
  );

  it.each([['http'], ['http-webhook'], ['nothttps'], ['tls'], [undefined]])('accepts plain HTTP on %s', (name) =>
    expect(findings(ID, asking({ port: 8443 }, [{ name, containerPort: 8443 }]))).toEqual([]),
  );

  it('accepts plain HTTP on a port webhook, unless its number is one of TLS servers', () =>
    expect(findings(ID, asking({ port: 'webhook' }, [{ name: 'webhook', containerPort: 8080 }]))).toEqual([]));

  it.each(cases('https-scheme', 'accepts') as [JsonObject][])('accepts %j', (handler) =>
    expect(findings(ID, asking(handler))).toEqual([]),
  );

  it('accepts a port that is declared for UDP, because the kubelet finds no such port', () =>
    expect(findings(ID, asking({ port: 'https' }, [{ name: 'https', containerPort: 443, protocol: 'UDP' }]))).toEqual(
      [],
    ));

  it('edits liveness and readiness of one endpoint together', () => {
    const probe = { httpGet: { path: '/ready', port: 'https' } };
    const found = findings(ID, podWith({ ports: PORTS, livenessProbe: probe, readinessProbe: probe }));
    const both = ['livenessProbe', 'readinessProbe'].map((kind) => ({
      path: ['spec', 'containers', 0, kind, 'httpGet', 'scheme'],
      value: 'HTTPS',
    }));
    expect(found.map(({ edits }) => edits?.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1)))).toEqual([
      both,
      both,
    ]);
  });

  it('has no edit when liveness would then ask what readiness asks', () => {
    const httpGet = { path: '/ready', port: 'https' };
    const found = onlyFinding(
      ID,
      podWith({
        ports: PORTS,
        livenessProbe: { httpGet },
        readinessProbe: { httpGet: { ...httpGet, scheme: 'HTTPS' } },
      }),
    );
    expect(found.edits).toBeUndefined();
    expect(found.remedy).toBe('write scheme: HTTPS');
  });

  it('has no edit beside protocol HTTP2, which the API server rejects with HTTPS', () => {
    const found = onlyFinding(ID, asking({ port: 'https', protocol: 'HTTP2' }));
    expect(found.edits).toBeUndefined();
    expect(found.remedy).toBe('write scheme: HTTPS, and remove protocol');
  });
});
