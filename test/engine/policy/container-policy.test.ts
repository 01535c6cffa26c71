import { describe, expect, it } from 'vitest';
import { mergeLayers } from '../../../src/engine/policy/container-policy.ts';
import { parsedPolicy, policyDocument } from '../../support/worlds.ts';
import type { ContainerPolicy, EffectiveDefault } from '../../../src/engine/policy/container-policy.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

const merged = (...specs: JsonObject[]): ContainerPolicy =>
  mergeLayers(specs.map((spec, index) => parsedPolicy(policyDocument(spec, `layer-${index}`))));
const liveness = (...probes: unknown[]): EffectiveDefault =>
  merged(...probes.map((livenessProbe) => ({ probes: { livenessProbe } }))).probes.livenessProbe;

describe('a higher layer', () => {
  it('wins field by field', () =>
    expect(liveness({ periodSeconds: 5, timeoutSeconds: 3 }, { periodSeconds: 7 }).integers).toEqual({
      periodSeconds: 7,
      timeoutSeconds: 3,
    }));

  it('replaces a handler whole, and is named as its source', () => {
    const { handler } = liveness({ httpGet: { path: '/low', scheme: 'HTTPS' } }, { httpGet: { path: '/high' } });
    expect(handler).toEqual({
      value: { kind: 'httpGet', fields: { path: '/high' } },
      source: 'ProbePolicy/apps/layer-1',
      isAimed: false,
    });
  });

  it('keeps the lower handler when it names none', () =>
    expect(liveness({ tcpSocket: { port: 1 } }, { periodSeconds: 7 }).handler?.value).toEqual({
      kind: 'tcpSocket',
      fields: { port: 1 },
    }));

  it('removes a probe with null, and describes it anew above that', () => {
    expect(liveness({ tcpSocket: { port: 1 }, periodSeconds: 7 }, null)).toEqual({
      handler: undefined,
      integers: {},
      removedBy: 'ProbePolicy/apps/layer-1',
    });
    expect(liveness({ periodSeconds: 7 }, null, { tcpSocket: { port: 1 } })).toMatchObject({
      integers: {},
      removedBy: undefined,
      handler: { source: 'ProbePolicy/apps/layer-2' },
    });
  });

  it('removes a probe with disabled: true as with null', () => {
    for (const below of [{}, { tcpSocket: { port: 1 }, periodSeconds: 7 }])
      expect(liveness(below, { disabled: true })).toEqual(liveness(below, null));
    expect(liveness({ disabled: true }, { tcpSocket: { port: 1 } })).toEqual(
      liveness(null, { tcpSocket: { port: 1 } }),
    );
  });

  it('takes disabled: false for nothing said', () =>
    expect(liveness({ tcpSocket: { port: 1 } }, { disabled: false })).toEqual(liveness({ tcpSocket: { port: 1 } })));

  it('removes a probe with a null endpoint alike', () =>
    expect(
      merged(
        { kubernetesProbeEndpoints: { livenessProbe: '/a' } },
        { kubernetesProbeEndpoints: { livenessProbe: null } },
      ).probes.livenessProbe.removedBy,
    ).toBe('ProbePolicy/apps/layer-1'));

  it('takes single values back with null', () => {
    expect(liveness({ periodSeconds: 5, timeoutSeconds: 3 }, { periodSeconds: null }).integers).toEqual({
      periodSeconds: undefined,
      timeoutSeconds: 3,
    });
    const { port, startupSeconds } = merged(
      { port: 'http', slowStart: { startupSeconds: 5 } },
      { port: null, slowStart: { startupSeconds: null } },
    );
    expect([port, startupSeconds]).toEqual([undefined, undefined]);
  });
});
