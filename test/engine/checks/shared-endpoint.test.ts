import { describe, expect, it } from 'vitest';
import { cases } from '../../support/cases.ts';
import { CHECK_CATALOGUE } from '../../../src/engine/checks/catalogue.ts';
import { deploymentWith, findings, httpProbe, onlyFinding, podWith } from './workload.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const ID = 'shared-endpoint';
const both = (livenessProbe: JsonObject, readinessProbe: JsonObject, ports?: unknown): JsonObject =>
  podWith({ livenessProbe, readinessProbe, ...(ports !== undefined && { ports }) });

describe('shared-endpoint', () => {
  it('gives both figures and the smallest failureThreshold that is enough', () => {
    const liveness = httpProbe({ failureThreshold: 3, periodSeconds: 5, timeoutSeconds: 2 });
    const readiness = httpProbe({ failureThreshold: 2, periodSeconds: 5, timeoutSeconds: 10 });
    // Pr + (Fr-1)*max(Pr,Tr) + Tr = 5 + 10 + 10; (7-1)*5 = 30 is the first above.
    expect(onlyFinding(ID, deploymentWith({ livenessProbe: liveness, readinessProbe: readiness }))).toEqual({
      probe: 'livenessProbe',
      path: 'spec.template.spec.containers[0].livenessProbe.failureThreshold',
      message:
        'container "app" asks one endpoint for liveness and readiness: a fault may restart it after 10 s, ' +
        'but readiness stops its traffic after up to 25 s',
      remedy: 'write failureThreshold: 7',
      edits: [{ path: ['spec', 'template', 'spec', 'containers', 0, 'livenessProbe', 'failureThreshold'], value: 7 }],
    });
    expect(findings(ID, both({ ...liveness, failureThreshold: 6 }, readiness))).toHaveLength(1);
    expect(findings(ID, both({ ...liveness, failureThreshold: 7 }, readiness))).toEqual([]);
  });

  it('raises the period instead where many failures would replace a startup probe', () => {
    // 10 + 2*10 + 1 = 31 s for readiness; with 10 failures, 9*2 = 18 s is less, and (8-1)*5 = 35 s is above.
    const place = ['spec', 'containers', 0, 'livenessProbe'];
    expect(onlyFinding(ID, both(httpProbe({ periodSeconds: 1 }), httpProbe()))).toMatchObject({
      remedy: 'write periodSeconds: 5 and failureThreshold: 8',
      edits: [
        { path: [...place, 'periodSeconds'], value: 5 },
        { path: [...place, 'failureThreshold'], value: 8 },
      ],
    });
  });

  it('is a note, and a warning for a liveness timeout of 1 s', () => {
    expect(CHECK_CATALOGUE[ID]?.action).toBe('Audit');
    expect(onlyFinding(ID, both(httpProbe({ timeoutSeconds: 2 }), httpProbe())).level).toBeUndefined();
    expect(onlyFinding(ID, both(httpProbe({ timeoutSeconds: 1 }), httpProbe())).level).toBe('Warn');
    expect(onlyFinding(ID, both(httpProbe(), httpProbe({ timeoutSeconds: 5 }))).level).toBe('Warn');
  });

  it('stays a note with one replica, and beside a readiness probe that needs more than 60 s', () => {
    const probes = { livenessProbe: httpProbe(), readinessProbe: httpProbe() };
    const level = (spec: JsonObject): unknown => onlyFinding(ID, deploymentWith(probes, spec)).level;
    expect([level({ replicas: 1 }), level({ replicas: 2 }), level({})]).toEqual([undefined, 'Warn', 'Warn']);
    expect(onlyFinding(ID, both(httpProbe(), httpProbe({ periodSeconds: 20 }))).level).toBeUndefined();
  });

  it('proposes nothing beside a readiness probe that needs more than 60 s: that probe has to change', () => {
    // 20 + 2*20 + 1 = 61 s
    const { remedy, edits } = onlyFinding(ID, both(httpProbe(), httpProbe({ periodSeconds: 20 })));
    expect(remedy).toBe('first let readiness stop the traffic within 60 s');
    expect(edits).toBeUndefined();
  });

  it('proposes nothing that makes the kill later than 120 s', () => {
    // 15 + 2*15 + 15 = 60 s for readiness. Each period needs more than 120 s, the grace of 30 s included.
    const slow = httpProbe({ periodSeconds: 15, timeoutSeconds: 15 });
    const { remedy, edits } = onlyFinding(ID, both(slow, slow));
    expect(remedy).toBe('shorten periodSeconds or timeoutSeconds of the readinessProbe');
    expect(edits).toBeUndefined();
  });

  it('wants strictly later: a tie is a violation', () => {
    // 5 + 0 + 1 = 6 s for readiness
    const readiness = httpProbe({ failureThreshold: 1, periodSeconds: 5 });
    expect(findings(ID, both(httpProbe({ failureThreshold: 3, periodSeconds: 3 }), readiness))).toHaveLength(1);
    expect(findings(ID, both(httpProbe({ failureThreshold: 2, periodSeconds: 7 }), readiness))).toEqual([]);
  });

  it.each(cases('shared-endpoint', 'same endpoints') as [string, JsonObject, JsonObject][])(
    'takes for the same: %s',
    (_name, liveness, readiness) => {
      expect(findings(ID, both(liveness, readiness))).toHaveLength(1);
      expect(findings('killed-before-drained', both(liveness, readiness))).toEqual([]);
    },
  );

  it.each<[string, JsonObject, JsonObject]>([
    ['path', { httpGet: { path: '/a', port: 80 } }, { httpGet: { path: '/b', port: 80 } }],
    ['port', { httpGet: { port: 80 } }, { httpGet: { port: 81 } }],
    ['protocol', { httpGet: { port: 80, protocol: 'HTTP2' } }, { httpGet: { port: 80 } }],
    ['mode', { grpc: { port: 9, mode: 'TLS' } }, { grpc: { port: 9 } }],
    ['scheme', { httpGet: { port: 80, scheme: 'HTTPS' } }, { httpGet: { port: 80 } }],
    ['host', { httpGet: { port: 80, host: 'a' } }, { httpGet: { port: 80 } }],
    ['headers', { httpGet: { port: 80, httpHeaders: [{ name: 'A', value: '1' }] } }, { httpGet: { port: 80 } }],
    ['handler', { tcpSocket: { port: 80 } }, { httpGet: { port: 80 } }],
    ['service', { grpc: { port: 80, service: 'live' } }, { grpc: { port: 80 } }],
    ['command', { exec: { command: ['a', 'b c'] } }, { exec: { command: ['a b', 'c'] } }],
  ])('takes for different: another %s', (_name, liveness, readiness) => {
    expect(findings(ID, both(liveness, readiness))).toEqual([]);
    expect(findings('killed-before-drained', both(liveness, readiness))).toHaveLength(1);
  });

  it('needs both probes, well-formed', () => {
    expect(findings(ID, podWith({ livenessProbe: httpProbe() }))).toEqual([]);
    expect(findings(ID, both(httpProbe(), httpProbe({ periodSeconds: '5' })))).toEqual([]);
    expect(findings(ID, both({ httpGet: { port: true } }, { httpGet: { port: true } }))).toEqual([]);
    expect(
      findings(ID, both({ httpGet: { port: 1, httpHeaders: 'x' } }, { httpGet: { port: 1, httpHeaders: 'x' } })),
    ).toEqual([]);
  });
});
