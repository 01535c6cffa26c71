import { describe, expect, it } from 'vitest';
import { guaranteedStartSeconds, probeTiming } from '../../../src/engine/probe/timing.ts';
import {
  appContainer,
  clusterPolicyDocument,
  containerNamed,
  mutation,
  pod,
  policyDocument,
  policySet,
} from '../../support/worlds.ts';
import type { JsonObject } from '../../../src/base/json/json-value.ts';

/** The startup probe that the app container gets, and the source that provenance names for it. */
function startup(
  container: JsonObject,
  documents: JsonObject[],
  annotations: JsonObject = {},
): { probe: JsonObject | undefined; source: unknown; code: string | undefined } {
  const { after, defaulting } = mutation(pod([container], { metadata: { annotations } }), policySet(...documents));
  return {
    probe: containerNamed(after, 'app')['startupProbe'] as JsonObject | undefined,
    source: defaulting?.injections.find(({ kind }) => kind === 'startupProbe')?.source,
    code: defaulting?.notInjected.find(({ probe }) => probe === 'startupProbe')?.code,
  };
}

const live = { kubernetesProbeEndpoints: { livenessProbe: '/live' } };
const ownLiveness = (members: JsonObject = {}): JsonObject =>
  appContainer({ livenessProbe: { httpGet: { path: '/own', port: 'http', scheme: 'HTTP' }, ...members } });

describe('an injected liveness probe', () => {
  it('comes with a startup probe of 300 guaranteed seconds when nothing configured one', () => {
    const { probe, source } = startup(appContainer(), [policyDocument(live)]);
    expect(probe).toEqual({ httpGet: { path: '/live', port: 'http' }, periodSeconds: 5, failureThreshold: 61 });
    expect(guaranteedStartSeconds(probeTiming(probe ?? {}))).toBe(300);
    expect(source).toBe('safety');
  });

  it('gets no less time than its own delay would have given', () => {
    const spec = { ...live, probes: { livenessProbe: { initialDelaySeconds: 900 } } };
    expect(
      guaranteedStartSeconds(probeTiming(startup(appContainer(), [policyDocument(spec)]).probe ?? {})),
    ).toBeGreaterThanOrEqual(899 + 20);
  });

  it("comes with the policy's own startup probe as it is when there is one", () => {
    const spec = {
      kubernetesProbeEndpoints: { livenessProbe: '/live', startupProbe: '/start' },
      probes: { startupProbe: { periodSeconds: 1, failureThreshold: 10 } },
    };
    expect(startup(appContainer(), [policyDocument(spec)])).toMatchObject({
      probe: { httpGet: { path: '/start', port: 'http' }, periodSeconds: 1, failureThreshold: 10 },
      source: 'ProbePolicy/apps/policy',
    });
  });

  it('keeps its own period and timeout in mind where the policy gives them without a handler', () => {
    const spec = { ...live, probes: { startupProbe: { periodSeconds: 2 }, livenessProbe: { timeoutSeconds: 30 } } };
    expect(startup(appContainer(), [policyDocument(spec)]).probe).toEqual({
      httpGet: { path: '/live', port: 'http' },
      timeoutSeconds: 30,
      periodSeconds: 2,
      failureThreshold: 151,
    });
  });

  it('falls back to the safety, and says why, when the configured startup probe cannot work in the container', () => {
    const spec = { ...live, probes: { startupProbe: { tcpSocket: { port: 9999 } } } };
    expect(startup(appContainer(), [policyDocument(spec)])).toMatchObject({
      probe: { httpGet: { path: '/live', port: 'http' } },
      source: 'safety',
      code: 'port-not-declared',
    });
  });

  it.each([
    ['asks', ['kafka-topics.sh', '--bootstrap-server', 'localhost:9092', '--list']],
    ['acts', ['sh', '-c', 'curl -fs -d ping localhost:8080 >/tmp/answer']],
  ])("comes with a startup probe that runs the policy's command, whether it %s or not", (_, command) => {
    const spec = { containers: ['app'], probes: { livenessProbe: { exec: { command }, periodSeconds: 10 } } };
    expect(startup(appContainer(), [policyDocument(spec)])).toEqual({
      probe: { exec: { command }, periodSeconds: 5, failureThreshold: 61 },
      source: 'safety',
      code: undefined,
    });
    const slow = policyDocument({ ...spec, slowStart: { startupSeconds: 600 } });
    expect(startup(appContainer(), [slow]).probe).toMatchObject({ exec: { command }, failureThreshold: 121 });
  });

  it('comes alone when a policy says null, which also silences lower layers', () => {
    const documents = [
      clusterPolicyDocument({ kubernetesProbeEndpoints: { startupProbe: '/low' }, slowStart: { startupSeconds: 60 } }),
      policyDocument({ ...live, probes: { startupProbe: null } }),
    ];
    expect(startup(appContainer(), documents)).toMatchObject({ probe: undefined, code: 'removed-by-policy' });
  });

  it('comes with a startup probe again when a higher layer asks for a slow start', () => {
    const documents = [
      clusterPolicyDocument({ ...live, probes: { startupProbe: null } }),
      policyDocument({ slowStart: { startupSeconds: 60 } }),
    ];
    expect(startup(appContainer(), documents)).toMatchObject({
      probe: { httpGet: { path: '/live' }, failureThreshold: 13 },
      source: 'ProbePolicy/apps/policy',
    });
  });

  it('needs none beside a startup probe of the author', () => {
    const own = { tcpSocket: { port: 'http' } };
    expect(startup(appContainer({ startupProbe: own }), [policyDocument(live)])).toEqual({
      probe: own,
      source: undefined,
      code: undefined,
    });
  });
});

describe('an injected liveness probe beside a startup probe of the author', () => {
  const given = (startupProbe: JsonObject, livenessProbe: JsonObject): ReturnType<typeof mutation> => {
    const container = appContainer({ startupProbe: { tcpSocket: { port: 'http' }, ...startupProbe } });
    const spec = { probes: { livenessProbe: { tcpSocket: { port: 'http' }, ...livenessProbe } } };
    const policies = policySet(policyDocument(spec));
    const result = mutation(pod([container]), policies);
    expect(mutation(result.after, policies).patch).toBeUndefined();
    return result;
  };

  it.each([
    [60, { periodSeconds: 10 }, 7],
    [60, { periodSeconds: 10, initialDelaySeconds: 31 }, 4],
    [90, { periodSeconds: 10 }, 10],
    [20, { periodSeconds: 10 }, undefined],
    [60, { periodSeconds: 60, failureThreshold: 3 }, 3],
  ])('of period %i has the smallest failureThreshold that is safe after a restart: %j, %s', (P, liveness, expected) => {
    const { after } = given({ periodSeconds: P }, liveness);
    const probe = containerNamed(after, 'app')['livenessProbe'] as JsonObject;
    expect(probe['failureThreshold']).toBe(expected);
    expect(guaranteedStartSeconds(probeTiming(probe))).toBeGreaterThanOrEqual(P);
  });

  it.each([
    [100, { periodSeconds: 10 }],
    [60, { periodSeconds: 1 }],
    [90, { periodSeconds: 30, timeoutSeconds: 20, failureThreshold: 2 }],
  ])('of period %i is left out where no number is safe: %j', (periodSeconds, liveness) => {
    const { after, defaulting } = given({ periodSeconds }, liveness);
    expect(containerNamed(after, 'app')['livenessProbe']).toBeUndefined();
    expect(defaulting?.notInjected).toMatchObject([
      { probe: 'livenessProbe', code: 'startup-period-too-long' },
      { probe: 'readinessProbe' },
    ]);
  });
});

describe('startupSeconds', () => {
  it.each([
    [300, undefined, 61],
    [301, undefined, 62],
    [5, undefined, 2],
    [1, undefined, 2],
    [300, 10, 31],
    [300, 7, 44],
  ])(
    'of %i with period %s takes the smallest failureThreshold that guarantees it: %i',
    (startupSeconds, periodSeconds, failureThreshold) => {
      const spec = {
        slowStart: { startupSeconds },
        ...(periodSeconds && { probes: { startupProbe: { periodSeconds } } }),
      };
      const { probe } = startup(ownLiveness(), [policyDocument(spec)]);
      expect(probe).toEqual({
        httpGet: { path: '/own', port: 'http', scheme: 'HTTP' },
        periodSeconds: periodSeconds ?? 5,
        failureThreshold,
      });
    },
  );

  it('counts the delay of the startup probe as (D-1) seconds', () => {
    const spec = {
      slowStart: { startupSeconds: 100 },
      probes: { startupProbe: { initialDelaySeconds: 51, periodSeconds: 10 } },
    };
    const { probe } = startup(ownLiveness(), [policyDocument(spec)]);
    expect(probe).toMatchObject({ failureThreshold: 6 });
    expect(guaranteedStartSeconds(probeTiming(probe ?? {}))).toBe(100);
  });

  it('widens the configured startup probe and never narrows it', () => {
    const spec = (failureThreshold: number): JsonObject => ({
      slowStart: { startupSeconds: 60 },
      kubernetesProbeEndpoints: { startupProbe: '/start' },
      probes: { startupProbe: { failureThreshold } },
    });
    expect(startup(appContainer(), [policyDocument(spec(2))]).probe).toEqual({
      httpGet: { path: '/start', port: 'http' },
      periodSeconds: 5,
      failureThreshold: 13,
    });
    expect(startup(appContainer(), [policyDocument(spec(40))]).probe).toMatchObject({ failureThreshold: 40 });
  });

  it('gives way to the annotation, also to a shorter one', () => {
    const annotations = { 'probewright.dev/startup-seconds': '20' };
    const found = startup(ownLiveness(), [policyDocument({ slowStart: { startupSeconds: 300 } })], annotations);
    expect(found).toMatchObject({ probe: { failureThreshold: 5 }, source: 'annotation' });
  });

  it('finds nothing to guard in a container without a liveness probe', () =>
    expect(startup(appContainer(), [policyDocument({ slowStart: { startupSeconds: 300 } })])).toEqual({
      probe: undefined,
      source: undefined,
      code: 'no-liveness-probe',
    }));
});

describe('fromInitialDelaySeconds', () => {
  const policy = policyDocument({ slowStart: { fromInitialDelaySeconds: 30 } });

  it("gives as long as the author's liveness settings tolerated at the most", () => {
    // D + P + (F-1)*max(P,T) + T = 60 + 10 + 4*20 + 20
    const { probe, source } = startup(
      ownLiveness({ initialDelaySeconds: 60, periodSeconds: 10, timeoutSeconds: 20, failureThreshold: 5 }),
      [policy],
    );
    expect(guaranteedStartSeconds(probeTiming(probe ?? {}))).toBe(170);
    expect(probe).toMatchObject({
      httpGet: { path: '/own' },
      timeoutSeconds: 20,
      periodSeconds: 5,
      failureThreshold: 35,
    });
    expect(source).toBe('ProbePolicy/apps/policy');
  });

  it('counts from the delay that it names', () => {
    expect(startup(ownLiveness({ initialDelaySeconds: 30 }), [policy]).probe).toBeDefined();
    expect(startup(ownLiveness({ initialDelaySeconds: 29 }), [policy])).toMatchObject({
      probe: undefined,
      code: 'no-endpoint',
    });
  });

  it('gives way to startupSeconds, unless the liveness probe waits longer than that', () => {
    const both = (startupSeconds: number): JsonObject =>
      policyDocument({ slowStart: { fromInitialDelaySeconds: 30, startupSeconds } });
    expect(startup(ownLiveness({ initialDelaySeconds: 60 }), [both(300)]).probe).toMatchObject({
      failureThreshold: 61,
    });
    expect(startup(ownLiveness({ initialDelaySeconds: 60 }), [both(65)]).probe).toMatchObject({ failureThreshold: 14 });
    const { probe } = startup(ownLiveness({ initialDelaySeconds: 600 }), [both(60)]);
    expect(guaranteedStartSeconds(probeTiming(probe ?? {}))).toBeGreaterThanOrEqual(599 + 20);
  });

  it("is about the author's delay, not about one that the policy injects", () => {
    const both = policyDocument({
      slowStart: { fromInitialDelaySeconds: 30 },
      ...live,
      probes: { livenessProbe: { initialDelaySeconds: 60 } },
    });
    expect(startup(appContainer(), [both])).toMatchObject({ source: 'safety', probe: { failureThreshold: 61 } });
  });
});

describe('a startup probe beside a liveness probe of the author', () => {
  it('never gives less time than that liveness probe guarantees today', () => {
    const spec = { kubernetesProbeEndpoints: { startupProbe: '/start' } };
    const { probe } = startup(ownLiveness({ initialDelaySeconds: 120 }), [policyDocument(spec)]);
    expect(probe).toEqual({ httpGet: { path: '/own', port: 'http', scheme: 'HTTP' }, failureThreshold: 15 });
    expect(guaranteedStartSeconds(probeTiming(probe ?? {}))).toBeGreaterThanOrEqual(119 + 20);
  });

  it.each([
    ['no handler', {}],
    ['two handlers', { httpGet: { port: 80 }, tcpSocket: { port: 80 } }],
    ['a port name that is not declared', { httpGet: { path: '/', port: 'htpp' } }],
    ['a host that is none', { httpGet: { port: 80, host: 'a b' } }],
    ['a command without a program', { exec: { command: [' '] } }],
    ['a header with a control character', { httpGet: { port: 80, httpHeaders: [{ name: 'A', value: 'a\r\nb' }] } }],
    ['an empty command', { exec: { command: [] } }],
    ['a port out of range', { grpc: { port: 70_000 } }],
    ['a scheme in lower case', { httpGet: { port: 80, scheme: 'http' } }],
    ['a header without a name', { httpGet: { port: 80, httpHeaders: [{ name: '', value: 'x' }] } }],
    ['a member that is no core/v1 field', { httpGet: { port: 80, deep: { er: [] } } }],
  ])('is not copied from one with %s', (_, livenessProbe) =>
    expect(
      startup(appContainer({ livenessProbe }), [policyDocument({ slowStart: { startupSeconds: 60 } })]),
    ).toMatchObject({ probe: undefined, code: 'liveness-cannot-work' }),
  );

  it('is copied with fields that later API versions add', () => {
    const handler = { grpc: { port: 8080, service: '', mode: 'TLS' } };
    expect(
      startup(appContainer({ livenessProbe: handler }), [policyDocument({ slowStart: { startupSeconds: 60 } })]).probe,
    ).toMatchObject(handler);
  });
});
